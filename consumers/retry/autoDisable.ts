import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import {
  isFailing,
  minimumEvents,
  type Failure,
  type FailureHistory,
} from '../../shared/domain/webhooks/failing.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import { versionKeyOf, type AttemptDocument } from '../../shared/store/models/documents.js';
import { attemptIndexes } from '../../shared/store/models/indexes.js';
import { waitForEnds, type ModelAndLog } from '../../shared/store/models/modelProgress.js';
import type { ReadModel, ReadModels } from '../../shared/store/models/readModels.js';
import type { OrderedRange } from '../../shared/store/models/readQueries.js';
import type { DisableWebhook } from './disableWebhook.js';

/** The automatic disabling of webhooks that have failed for too long. */
export interface AutoDisable {
  /**
   * Starts a check of the webhook. Must be called after every failed attempt. Returns at once, because the delivery
   * does not wait for the check.
   * @param webhook the webhook as it was when the request was sent
   */
  readonly notice: (webhook: Webhook, failure: Failure) => void;
  /** Must be called for every successful attempt before its outcome is appended. It ends a check of the webhook. */
  readonly succeeded: (webhookId: string) => void;
  /** Resolves when the checks in flight have ended. */
  readonly stop: () => Promise<void>;
}

/** The progress is that of the model `attempts`. */
export interface AutoDisableDependencies extends ModelAndLog {
  /** How long a webhook may fail before it is disabled, in milliseconds. */
  readonly failingAfterMs: number;
  readonly models: { readonly attempts: Pick<ReadModels['attempts'], 'findPage'> };
  readonly disableWebhook: Pick<DisableWebhook, 'failing'>;
  readonly logger: Logger;
}

/** A check in flight. */
interface Check {
  /** Whether this process has seen a success since the check began, which the model may not contain yet. */
  hasSucceeded: boolean;
  readonly ended: Promise<void>;
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
 * the model `attempts`. Each webhook is checked at most once a minute, and once a minute after the last attempt of a
 * schedule, and only if it was enabled long enough ago. If a process dies before it has disabled a webhook, the next
 * failure repeats the check.
 */
export function createAutoDisable(dependencies: AutoDisableDependencies): AutoDisable {
  const { failingAfterMs, models, disableWebhook, logger } = dependencies;
  const intervalMs = Math.min(longestIntervalMs, failingAfterMs / 10);
  const checkedAt = new Map<string, number>();
  const inFlight = new Map<string, Check>();

  const isDue = (key: string, { enabledAt }: Webhook, { at }: Failure): boolean =>
    at.getTime() - enabledAt.getTime() >= failingAfterMs &&
    at.getTime() - (checkedAt.get(key) ?? 0) >= intervalMs;

  const remember = (key: string, at: Date) => {
    if (checkedAt.size >= rememberedWebhooks) {
      checkedAt.clear();
    }
    checkedAt.set(key, at.getTime());
  };

  /** The first failure of a webhook that is failing by all outcomes in the log; null if it is not failing. */
  const failingSince = async (webhook: Webhook, failure: Failure): Promise<Date | null> => {
    // A model that is behind the log may lack a recent success.
    await waitForEnds(dependencies, { model: 'attempts', topic: 'deliveries', timeoutMs: modelTimeoutMs });
    const history = await readFailureHistory(models.attempts, webhook, { failure, failingAfterMs });
    return isFailing(failure, history, failingAfterMs) ? history.firstAt : null;
  };

  const check = async (webhook: Webhook, failure: Failure) => {
    const firstFailureAt = await failingSince(webhook, failure);
    if (firstFailureAt === null) {
      return;
    }
    // The command may wait for its lease, and an attempt may succeed meanwhile.
    const isStillFailing = async () =>
      (await failingSince(webhook, failure)) !== null && inFlight.get(webhook.id)?.hasSucceeded !== true;
    if (await disableWebhook.failing(webhook, isStillFailing)) {
      const { id: webhookId, accountId, url } = webhook;
      logger.warn({ accountId, webhookId, url, firstFailureAt }, 'a webhook was disabled: failing');
    }
  };

  return {
    notice: (webhook, failure) => {
      const { id } = webhook;
      const key = failure.isExhausted ? `${id}/exhausted` : id;
      if (inFlight.has(id) || inFlight.size >= maximumInFlight || !isDue(key, webhook, failure)) {
        return;
      }
      remember(key, failure.at);
      const ended = check(webhook, failure)
        .catch((error: unknown) => {
          logger.warn(
            { webhookId: id, error: messageOf(error) },
            'cannot read the failure history of the webhook',
          );
        })
        .finally(() => inFlight.delete(id));
      inFlight.set(id, { hasSucceeded: false, ended });
    },
    succeeded: (webhookId) => {
      const running = inFlight.get(webhookId);
      if (running !== undefined) {
        running.hasSucceeded = true;
      }
    },
    stop: async () => {
      await Promise.all([...inFlight.values()].map(({ ended }) => ended));
    },
  };
}

const newestFirst = { recorded: -1, _id: -1 } as const;
const oldestFirst = { recorded: 1, _id: 1 } as const;

/**
 * The failures of a version of a webhook since its last success, in the order of their records. The function makes at
 * most four reads, each of the first entry of an index range.
 * @throws UnavailableError if the model is unavailable or incomplete
 */
export async function readFailureHistory(
  attempts: Pick<ReadModel<AttemptDocument>, 'findPage'>,
  webhook: Pick<Webhook, 'id' | 'version'>,
  { failure, failingAfterMs }: { readonly failure: Failure; readonly failingAfterMs: number },
): Promise<FailureHistory> {
  const versionKey = versionKeyOf(webhook);
  const index = attemptIndexes.byRecord.key;
  const firstOf = async (filter: OrderedRange['filter'], sort: OrderedRange['sort']) => {
    const ranges = [{ filter: { versionKey, ...filter }, sort }];
    return (await attempts.findPage({ ranges, limit: 1, index, without: ['responseBody'] }))[0];
  };
  const firstFailure = (after: Date, eventId: OrderedRange['filter'] = {}) =>
    firstOf({ status: 'failed', recorded: { $gt: after }, ...eventId }, oldestFirst);

  const success = await firstOf({ status: 'succeeded' }, newestFirst);
  const succeededAt = success?.recorded ?? new Date(0);
  const first = await firstFailure(succeededAt);
  if (first === undefined) {
    return { firstAt: null, events: 0 };
  }
  const lately = new Date(Math.max(succeededAt.getTime(), failure.at.getTime() - failingAfterMs));
  const events = new Set([first.eventId, failure.eventId]);
  while (events.size < minimumEvents) {
    const other = await firstFailure(lately, { eventId: { $nin: [...events] } });
    if (other === undefined) {
      break;
    }
    events.add(other.eventId);
  }
  return { firstAt: first.created, events: events.size };
}
