import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { isFailing, type Failure, type FailureHistory } from '../../shared/domain/webhooks/failing.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { AttemptDocument } from '../../shared/store/models/documents.js';
import { attemptIndexes } from '../../shared/store/models/indexes.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { OrderedRange, ReadModel, ReadModels } from '../../shared/store/models/readModels.js';
import type { DisableWebhook } from './disableWebhook.js';

/** The automatic disabling of webhooks that have failed for too long. */
export interface AutoDisable {
  /**
   * Starts a check of the webhook. Must be called after every failed attempt. Returns at once, because the delivery
   * does not wait for the check.
   */
  readonly notice: (webhook: Webhook, failure: Failure) => void;
  /** Resolves when the checks in flight have ended. */
  readonly stop: () => Promise<void>;
}

export interface AutoDisableDependencies {
  /** How long a webhook may fail before it is disabled, in milliseconds. */
  readonly failingAfterMs: number;
  readonly models: { readonly attempts: Pick<ReadModels['attempts'], 'findPage'> };
  /** The progress of the model `attempts`. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly disableWebhook: Pick<DisableWebhook, 'failing'>;
  readonly logger: Logger;
}

const longestIntervalMs = 60_000;
const modelTimeoutMs = 5000;
/** The most checks in flight. Beyond this limit a webhook is not checked until its next failure. */
const maximumInFlight = 20;
/**
 * The number of webhooks whose last check is remembered. If more webhooks fail, some are checked more than necessary.
 */
const rememberedWebhooks = 10_000;

/**
 * The check whether a webhook has failed for too long. The rule concerns several days, so a failure leads to a read of
 * the model `attempts`. Each webhook is checked at most once a minute, and only if it was enabled long enough ago. If a
 * process dies before it has disabled a webhook, the next failure repeats the check.
 */
export function createAutoDisable(dependencies: AutoDisableDependencies): AutoDisable {
  const { failingAfterMs, models, progress, offsets, disableWebhook, logger } = dependencies;
  const intervalMs = Math.min(longestIntervalMs, failingAfterMs / 10);
  const checkedAt = new Map<string, number>();
  const inFlight = new Set<Promise<void>>();

  const isDue = ({ id, enabledAt }: Webhook, { at }: Failure): boolean =>
    at.getTime() - enabledAt.getTime() >= failingAfterMs &&
    at.getTime() - (checkedAt.get(id) ?? 0) >= intervalMs;

  const remember = (webhookId: string, at: Date) => {
    if (checkedAt.size >= rememberedWebhooks) {
      checkedAt.clear();
    }
    checkedAt.set(webhookId, at.getTime());
  };

  const check = async (webhook: Webhook, failure: Failure) => {
    // A model that is behind the log may lack a recent success.
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
      if (inFlight.size >= maximumInFlight || !isDue(webhook, failure)) {
        return;
      }
      remember(webhook.id, failure.at);
      const checking = check(webhook, failure)
        .catch((error: unknown) => {
          logger.warn(
            { webhookId: webhook.id, error: messageOf(error) },
            'cannot read the failure history of the webhook',
          );
        })
        .finally(() => inFlight.delete(checking));
      inFlight.add(checking);
    },
    stop: async () => {
      await Promise.all(inFlight);
    },
  };
}

const newestFirst = { created: -1, _id: -1 } as const;
const oldestFirst = { created: 1, _id: 1 } as const;

/**
 * The failures of a webhook since its last success, up to the latest failure. The function makes at most three reads,
 * each of the first entry of an index range.
 * @throws UnavailableError if the model is unavailable or incomplete
 */
export async function readFailureHistory(
  attempts: Pick<ReadModel<AttemptDocument>, 'findPage'>,
  { id: webhookId, enabledAt }: Pick<Webhook, 'id' | 'enabledAt'>,
  latest: Failure,
): Promise<FailureHistory> {
  const firstOf = async (filter: OrderedRange['filter'], sort: OrderedRange['sort']) => {
    const ranges = [{ filter: { webhookId, ...filter }, sort }];
    const index = attemptIndexes.byWebhook.key;
    return (await attempts.findPage({ ranges, limit: 1, index, without: ['responseBody'] }))[0];
  };

  const success = await firstOf({ status: 'succeeded' }, newestFirst);
  const after = success === undefined || success.created < enabledAt ? enabledAt : success.created;
  const failedSince = { status: 'failed', created: { $gt: after } };
  const first = await firstOf(failedSince, oldestFirst);
  if (first === undefined) {
    return { first: null, othersFailed: false };
  }
  const othersFailed =
    first.eventId !== latest.eventId ||
    (await firstOf({ ...failedSince, eventId: { $ne: latest.eventId } }, oldestFirst)) !== undefined;
  return { first: { eventId: first.eventId, at: first.created }, othersFailed };
}
