import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { sharedNextOfKey } from '../../../shared/concurrency/sharedNext.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type {
  DeliveryState,
  HealthModels,
  WebhookDeliveries,
} from '../../../shared/store/health/deliveryHealth.js';
import { countedStatuses, versionKeyOf } from '../../../shared/store/models/documents.js';
import type { SharedHealthReads } from '../../../shared/store/queries/readsWithinShares.js';
import type { TakenUp } from '../../catchUp/takenUp.js';
import type { Owner } from '../../http/ownership.js';
import type { HealthState } from './healthSchemas.js';
import type { HealthyWebhook, WebhookLookup } from './webhookLookup.js';

interface CountedAt {
  /** The time up to which the counts contain all events and their outcomes. */
  readonly asOf: Date;
}

/** The health of webhooks at one moment. */
export interface HealthOfWebhooks extends CountedAt {
  /** The representation of each webhook's health in responses, by the webhook's id. */
  readonly byWebhook: ReadonlyMap<string, WebhookHealth>;
}

/** The webhooks by state, and their deliveries by status. */
export interface HealthTotals {
  readonly webhooks: Readonly<Record<HealthState, number>>;
  readonly counts: DeliveryState['counts'];
  readonly oldestOpenEventAt: Date | null;
}

export interface WebhookHealthReads {
  /**
   * Reads the health of all given webhooks of an account at once.
   * @throws UnavailableError if a read model is unavailable or incomplete, or no time is known up to which the counts
   *   are exact
   */
  read: (accountId: string, webhooks: readonly HealthyWebhook[]) => Promise<HealthOfWebhooks>;
  /**
   * Reads the totals of the webhooks that a caller sees, page by page, so that an account may have any number of them.
   * There is one such read at a time. Requests that arrive during it share the next one.
   * @param tenantId null for the webhooks without a tenant, undefined for all webhooks
   * @throws UnavailableError in the same cases
   */
  readTotals: (owner: Owner, tenantId: string | null | undefined) => Promise<HealthTotals & CountedAt>;
}

export interface WebhookHealthDependencies {
  readonly deliveryHealth: SharedHealthReads;
  readonly lookup: Pick<WebhookLookup, 'pages'>;
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
  lookup,
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

  const readCurrent = async <Found extends HealthModels>(accountId: string, read: () => Promise<Found>) => {
    await takenUp.refresh();
    await untilClose(accountId);
    const found = await read();
    const asOf = takenUp.asOf(found.events, [found.attempts]);
    if (asOf === null) {
      throw new UnavailableError('the read models are behind the log', { retryAfterSeconds });
    }
    return { found, asOf };
  };

  const readHealth = (accountId: string, webhooks: readonly HealthyWebhook[]) =>
    readCurrent(accountId, () => deliveryHealth.read(accountId, webhooks));

  const reads = new Map<string, ReturnType<typeof readHealth>>();

  /** Requests for the same webhooks share the counts for a second: pages of many users ask for them again and again. */
  const readShared = (accountId: string, webhooks: readonly HealthyWebhook[]) => {
    const key = keyOf(accountId, webhooks);
    const known = reads.get(key);
    if (known !== undefined) {
      return known;
    }
    const reading = readHealth(accountId, webhooks);
    const forget = () => reads.delete(key);
    reads.set(key, reading);
    reading.then(() => setTimeout(forget, sharedMs).unref(), forget);
    return reading;
  };

  const readTotals = async (owner: Owner, tenantId: string | null | undefined) => {
    const { found, asOf } = await readCurrent(owner.accountId, async () => {
      const { add, totals } = createTotals();
      const models = await deliveryHealth.readStates(owner.accountId, lookup.pages(owner, tenantId), add);
      return { ...models, totals: totals() };
    });
    return { ...found.totals, asOf };
  };

  const shareTotals = sharedNextOfKey<HealthTotals & CountedAt>();

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
    readTotals: (owner, tenantId) => {
      const { accountId, mode, tenant } = owner;
      const key = [accountId, mode, tenant?.lifeId, tenantId === undefined, tenantId];
      return shareTotals(JSON.stringify(key), () => readTotals(owner, tenantId));
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

function stateOf(
  { status }: HealthyWebhook,
  { hasFailedLast, counts }: Pick<DeliveryState, 'hasFailedLast' | 'counts'>,
): HealthState {
  if (status === 'disabled') {
    return 'disabled';
  }
  if (hasFailedLast || counts.retrying > 0) {
    return 'failing';
  }
  return counts.failed > 0 ? 'undelivered' : 'healthy';
}

function createTotals() {
  const webhooks = { healthy: 0, undelivered: 0, failing: 0, disabled: 0 };
  const counts = { pending: 0, retrying: 0, failed: 0, canceled: 0 };
  let oldest: Date | null = null;
  return {
    add: (webhook: HealthyWebhook, state: DeliveryState) => {
      webhooks[stateOf(webhook, state)] += 1;
      for (const status of countedStatuses) {
        counts[status] += state.counts[status];
      }
      const { oldestOpenEventAt: time } = state;
      oldest = oldest === null || (time !== null && time < oldest) ? time : oldest;
    },
    totals: (): HealthTotals => ({ webhooks, counts, oldestOpenEventAt: oldest }),
  };
}

/** The representation of totals in responses. */
export function totalsOf({ webhooks, counts, oldestOpenEventAt, asOf }: HealthTotals & CountedAt) {
  return {
    webhooks,
    ...counts,
    oldestOpenEventAt: timeText(oldestOpenEventAt),
    asOf: asOf.toISOString(),
  };
}
