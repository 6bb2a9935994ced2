import { UnavailableError, messageOf } from '../../shared/core/errors.js';
import { isFailing, type Failure } from '../../shared/domain/webhooks/failing.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { DisableWebhook } from './disableWebhook.js';
import { readFailureHistory } from './failureHistory.js';

/** Disables webhooks that have failed for too long. */
export interface AutoDisable {
  /** To be told of every failed attempt. Returns at once: what follows is not awaited by the delivery. */
  notice: (webhook: Webhook, failure: Failure) => void;
  /** Resolves when what was begun has ended. */
  stop: () => Promise<void>;
}

export interface AutoDisableDependencies {
  /** How long a webhook may have no success, in milliseconds. */
  readonly failingAfterMs: number;
  readonly models: Pick<ReadModels, 'attempts'>;
  /** The progress of the model `attempts`. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly disableWebhook: Pick<DisableWebhook, 'failing'>;
  readonly logger: Logger;
}

const longestIntervalMs = 60_000;
const modelTimeoutMs = 5000;
/** What comes while so many are being looked at is left to the next failure. */
const maximumRunning = 20;
/** Beyond this many webhooks that fail at once, those of the others are looked at more often than they need. */
const rememberedWebhooks = 10_000;

/**
 * The rule needs what was in the log for days, so it is looked up, at most once a minute for each webhook, and only of one
 * that was enabled long enough ago. A process that dies before it has disabled one leaves it to the next failure.
 */
export function createAutoDisable(dependencies: AutoDisableDependencies): AutoDisable {
  const { failingAfterMs, models, progress, offsets, disableWebhook, logger } = dependencies;
  const intervalMs = Math.min(longestIntervalMs, failingAfterMs / 10);
  const lookedAt = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const isDue = ({ id, enabledAt }: Webhook, { at }: Failure): boolean =>
    at.getTime() - enabledAt.getTime() >= failingAfterMs &&
    at.getTime() - (lookedAt.get(id) ?? 0) >= intervalMs;

  const remember = (webhookId: string, at: Date) => {
    if (lookedAt.size >= rememberedWebhooks) {
      lookedAt.clear();
    }
    lookedAt.set(webhookId, at.getTime());
  };

  const look = async (webhook: Webhook, failure: Failure) => {
    // A model that is behind may lack the success that would tell otherwise.
    const ends = await offsets.ends('deliveries');
    if (!(await progress.reached('deliveries', allPartitions(ends), modelTimeoutMs))) {
      throw new UnavailableError('the read model "attempts" is behind the log');
    }
    const history = await readFailureHistory(models.attempts, webhook, failure);
    if (isFailing(failure, history, failingAfterMs) && (await disableWebhook.failing(webhook))) {
      const { id: webhookId, accountId, url } = webhook;
      logger.warn(
        { accountId, webhookId, url, firstFailureAt: history.first?.at },
        'a webhook was disabled: failing',
      );
    }
  };

  return {
    notice: (webhook, failure) => {
      if (running.size >= maximumRunning || !isDue(webhook, failure)) {
        return;
      }
      remember(webhook.id, failure.at);
      const looking = look(webhook, failure)
        .catch((error: unknown) => {
          logger.warn(
            { webhookId: webhook.id, error: messageOf(error) },
            'it is not known whether it is failing',
          );
        })
        .finally(() => running.delete(looking));
      running.add(looking);
    },
    stop: async () => {
      await Promise.all(running);
    },
  };
}
