import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { WebhookDeliveries } from '../../../shared/store/health/deliveryHealth.js';
import { versionKeyOf } from '../../../shared/store/models/documents.js';
import type { SharedHealthReads } from '../../../shared/store/queries/readsWithinShares.js';
import type { TakenUp } from '../../catchUp/takenUp.js';
import { healthStates, type HealthState } from './healthSchemas.js';
import type { HealthyWebhook } from './webhookLookup.js';

/** The health of webhooks at one moment. */
export interface HealthOfWebhooks {
  /** The representation of each webhook's health in responses, by the webhook's id. */
  readonly byWebhook: ReadonlyMap<string, WebhookHealth>;
  /** The time up to which the counts contain all events and their outcomes. */
  readonly asOf: Date;
}

/** Reads the health of all given webhooks of an account at once. */
export interface WebhookHealthReads {
  /**
   * @throws UnavailableError if a read model is unavailable or incomplete, or no time is known up to which the counts
   *   are exact
   */
  read: (accountId: string, webhooks: readonly HealthyWebhook[]) => Promise<HealthOfWebhooks>;
}

export interface WebhookHealthDependencies {
  readonly deliveryHealth: SharedHealthReads;
  readonly takenUp: Pick<TakenUp, 'refresh' | 'asOf' | 'latest'>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** How long a read waits for models that are behind, and the pause before their progress is read again, in milliseconds. */
const longestWaitMs = 700;
const pauseMs = 100;
/** How far the models may be behind without a wait, in milliseconds. */
const acceptedDelayMs = 500;
const retryAfterSeconds = 1;
/** How long the counts of some webhooks serve further requests for them, in milliseconds. */
const sharedMs = 1000;

/**
 * The time of the counts follows from the positions of the models in the snapshot of the counts. Models are about half a
 * second behind the log while events arrive, so a read waits for them for a moment. Only the progress of the models is
 * read repeatedly.
 */
export function createWebhookHealth({
  deliveryHealth,
  takenUp,
  now,
}: WebhookHealthDependencies): WebhookHealthReads {
  /** Waits until the models are close to the log, but only for a moment. */
  const untilClose = async (accountId: string) => {
    const until = now() + longestWaitMs;
    for (;;) {
      const { events, attempts } = await deliveryHealth.readModels(accountId);
      const asOf = takenUp.asOf(events, [attempts]);
      if (now() >= until || (asOf !== null && isClose(asOf, takenUp.latest()))) {
        return;
      }
      await pause(pauseMs);
    }
  };

  const readCurrent = async (accountId: string, webhooks: readonly HealthyWebhook[]) => {
    await takenUp.refresh();
    await untilClose(accountId);
    const found = await deliveryHealth.read(accountId, webhooks);
    const asOf = takenUp.asOf(found.events, [found.attempts]);
    if (asOf === null) {
      throw new UnavailableError('the read models are behind the log', { retryAfterSeconds });
    }
    return { found, asOf };
  };

  const reads = new Map<string, ReturnType<typeof readCurrent>>();

  /** Requests for the same webhooks share the counts for a second: pages of many users ask for them again and again. */
  const readShared = (accountId: string, webhooks: readonly HealthyWebhook[]) => {
    const key = keyOf(accountId, webhooks);
    const known = reads.get(key);
    if (known !== undefined) {
      return known;
    }
    const reading = readCurrent(accountId, webhooks);
    const forget = () => reads.delete(key);
    reads.set(key, reading);
    reading.then(() => setTimeout(forget, sharedMs).unref(), forget);
    return reading;
  };

  return {
    read: async (accountId, webhooks) => {
      const { found, asOf } = await readShared(accountId, webhooks);
      const byWebhook = new Map<string, WebhookHealth>();
      for (const webhook of webhooks) {
        const deliveries = found.byWebhook.get(webhook.id);
        if (deliveries !== undefined) {
          byWebhook.set(webhook.id, healthOf(webhook, deliveries, asOf));
        }
      }
      return { byWebhook, asOf };
    },
  };
}

/** The counts of a webhook begin anew with its version. */
function keyOf(accountId: string, webhooks: readonly HealthyWebhook[]): string {
  const hash = createHash('sha256').update(accountId);
  webhooks.forEach((webhook) => hash.update(versionKeyOf(webhook)));
  return hash.digest('base64');
}

function isClose(asOf: Date, latest: Date | null): boolean {
  return latest === null || latest.getTime() - asOf.getTime() <= acceptedDelayMs;
}

export type WebhookHealth = ReturnType<typeof healthOf>;

function healthOf(webhook: HealthyWebhook, deliveries: WebhookDeliveries, asOf: Date) {
  return {
    webhookId: webhook.id,
    state: stateOf(webhook, deliveries),
    ...deliveries.counts,
    failures: deliveries.failures.map(({ firstAt, lastAt, ...failure }) => ({
      ...failure,
      firstAt: timeText(firstAt),
      lastAt: timeText(lastAt),
    })),
    firstFailureAt: timeText(deliveries.firstFailureAt),
    lastFailureAt: timeText(deliveries.lastFailureAt),
    lastSuccessAt: timeText(deliveries.lastSuccessAt),
    nextAttemptAt: timeText(deliveries.nextAttemptAt),
    oldestOpenEventAt: timeText(deliveries.oldestOpenEventAt),
    asOf: asOf.toISOString(),
  };
}

function timeText(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

function stateOf({ status }: HealthyWebhook, { hasFailedLast, counts }: WebhookDeliveries): HealthState {
  if (status === 'disabled') {
    return 'disabled';
  }
  if (hasFailedLast || counts.retrying > 0) {
    return 'failing';
  }
  return counts.failed > 0 ? 'undelivered' : 'healthy';
}

/** The sums over all webhooks of an account and mode. */
export function totalsOf({ byWebhook, asOf }: HealthOfWebhooks) {
  const all = [...byWebhook.values()];
  const sumOf = (status: 'pending' | 'retrying' | 'failed' | 'canceled') =>
    all.reduce((sum, health) => sum + health[status], 0);
  const countOf = (state: HealthState) => all.filter((health) => health.state === state).length;
  // Times of one form are ordered as their texts are.
  const [oldest = null] = all
    .map(({ oldestOpenEventAt }) => oldestOpenEventAt)
    .filter((time) => time !== null)
    .toSorted();
  return {
    webhooks: Object.fromEntries(healthStates.map((state) => [state, countOf(state)])),
    pending: sumOf('pending'),
    retrying: sumOf('retrying'),
    failed: sumOf('failed'),
    canceled: sumOf('canceled'),
    oldestOpenEventAt: oldest,
    asOf: asOf.toISOString(),
  };
}
