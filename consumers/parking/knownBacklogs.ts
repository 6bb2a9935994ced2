import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { LongBacklogs } from '../engine/deliveryJob.js';
import type { BacklogPages } from './backlogPages.js';

/** The webhooks whose new attempts wait behind their backlog. */
export interface KnownBacklogs extends LongBacklogs {
  /** Must be called when this process parks a delivery of the webhook, or learns of its backlog. */
  readonly add: (webhookId: string) => void;
}

export interface KnownBacklogsDependencies {
  readonly pages: Pick<BacklogPages, 'count'>;
  readonly webhookConcurrency: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Known {
  checkedAt: number;
  check: Promise<boolean> | null;
  /** The deliveries that this process has parked since the last check, and between the two checks before. */
  parked: { sinceCheck: number; before: number };
}

/** The age up to which a length is used. The model contains a parked delivery about half a second after its record. */
const recheckMs = 1000;
/** A backlog with fewer deliveries for each attempt in flight is short: as many wait in memory. */
const shortPerAttempt = 2;
const rememberedWebhooks = 10_000;

/**
 * New attempts of a webhook wait behind its backlog, so that the oldest deliveries are first when the webhook recovers.
 * The length of the backlog is read at most once a second, and only while attempts would wait for this reason alone.
 */
export function createKnownBacklogs({
  pages,
  webhookConcurrency,
  now,
}: KnownBacklogsDependencies): KnownBacklogs {
  const known = createBoundedMap<string, Known>(rememberedWebhooks);

  /**
   * Deliveries that were parked a moment ago do not show that the webhook is busy: their release takes about a second.
   * If they counted, each new delivery of a quick webhook would be parked because of those before it.
   */
  const check = async (webhookId: string, backlog: Known): Promise<boolean> => {
    const { sinceCheck, before } = backlog.parked;
    backlog.parked = { sinceCheck: 0, before: sinceCheck };
    const waiting = (await countOrNull(webhookId)) ?? Infinity;
    backlog.checkedAt = now();
    const isLong = waiting - sinceCheck - before >= shortPerAttempt * webhookConcurrency;
    if (!isLong) {
      known.delete(webhookId);
    }
    return isLong;
  };

  /** Returns null if the model cannot be read. New attempts are then parked, because that needs the log alone. */
  const countOrNull = async (webhookId: string): Promise<number | null> => {
    try {
      return await pages.count(webhookId);
    } catch (error) {
      if (error instanceof UnavailableError) {
        return null;
      }
      throw error;
    }
  };

  return {
    add: (webhookId) => {
      const backlog = known.get(webhookId);
      if (backlog === undefined) {
        known.set(webhookId, { checkedAt: now(), check: null, parked: { sinceCheck: 1, before: 0 } });
      } else {
        backlog.parked.sinceCheck += 1;
      }
    },
    isKnown: (webhookId) => known.has(webhookId),
    isLong: (webhookId) => {
      const backlog = known.get(webhookId);
      if (backlog === undefined || now() - backlog.checkedAt < recheckMs) {
        return Promise.resolve(backlog !== undefined);
      }
      backlog.check ??= check(webhookId, backlog).finally(() => {
        backlog.check = null;
      });
      return backlog.check;
    },
  };
}
