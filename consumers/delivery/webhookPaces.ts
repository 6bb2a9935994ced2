import {
  exchangeBegan,
  exchangeEnded,
  meanExchangeMs,
  unknownTimes,
  type ExchangeTimes,
} from './exchangeTimes.js';
import { takeSlot, type SlotClock, type SlotRequest } from './slotClock.js';

/** What this process knows of how fast each webhook is. */
export interface WebhookPaces {
  /** Runs an exchange, and remembers how long its webhook took. */
  readonly timed: <Result>(webhookId: string, exchange: () => Promise<Result>) => Promise<Result>;
  readonly meanExchangeMs: (webhookId: string) => number;
  /** Ends once an exchange of the webhook has ended, or has not for two seconds: nothing better will be known soon. */
  readonly untilKnown: (webhookId: string) => Promise<void>;
  /** Takes the webhook's next slot: in how many milliseconds it is. */
  readonly untilSlotMs: (webhookId: string, request: SlotRequest) => number;
}

interface Moment {
  readonly at: number;
  /** For how long this process had had nothing to do by then. */
  readonly idleMs: number;
}

interface Pace {
  times: ExchangeTimes;
  /** When an exchange began or ended last. */
  changed: Moment;
  slots: SlotClock | null;
  /** Who waits until an exchange has ended. */
  readonly awaiting: (() => void)[];
}

/** What a webhook was like so long ago says little of what it is like now. */
const forgottenAfterMs = 10 * 60_000;
/** Old ones are looked for when there are so many more than the last search has left: each is searched a few times at most. */
const searchedAfter = 1000;

/**
 * What this process itself may have made of an exchange. Beyond it a webhook is slow, however busy the process is.
 */
const longestOwnMs = 2_000;

export interface WebhookPacesClocks {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** For how many milliseconds of it this process has had nothing to do so far. */
  readonly idleMs: () => number;
}

/**
 * An exchange counts for as long as this process had nothing else to do meanwhile. One that is busy, or has just started, takes a second
 * for what its webhooks answer at once, and to put their deliveries off would be more work for it.
 */
export function createWebhookPaces({ now, idleMs }: WebhookPacesClocks): WebhookPaces {
  const paces = new Map<string, Pace>();
  let searchAt = searchedAfter;

  const moment = (): Moment => ({ at: now(), idleMs: idleMs() });

  /** Without what this process itself may have made of it. */
  const sinceMs = (begin: Moment): number => {
    const durationMs = now() - begin.at;
    const busyMs = durationMs - (idleMs() - begin.idleMs);
    return durationMs - Math.min(Math.max(0, busyMs), longestOwnMs);
  };

  const forgetOld = () => {
    const time = now();
    for (const [webhookId, { times, changed, slots }] of paces) {
      const isIdle = times.inFlight === 0 && time - changed.at > forgottenAfterMs;
      if (isIdle && (slots?.slot ?? 0) < time) {
        paces.delete(webhookId);
      }
    }
    searchAt = 2 * paces.size + searchedAfter;
  };

  const paceOf = (webhookId: string): Pace => {
    const known = paces.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const pace = { times: unknownTimes, changed: moment(), slots: null, awaiting: [] };
    paces.set(webhookId, pace);
    if (paces.size >= searchAt) {
      forgetOld();
    }
    return pace;
  };

  return {
    timed: async (webhookId, exchange) => {
      const pace = paceOf(webhookId);
      const begin = moment();
      pace.times = exchangeBegan(pace.times);
      pace.changed = begin;
      try {
        return await exchange();
      } finally {
        pace.changed = moment();
        pace.times = exchangeEnded(pace.times, sinceMs(begin));
        pace.awaiting.splice(0).forEach((tell) => tell());
      }
    },
    meanExchangeMs: (webhookId) => {
      const pace = paces.get(webhookId);
      return pace === undefined
        ? meanExchangeMs(unknownTimes, 0)
        : meanExchangeMs(pace.times, sinceMs(pace.changed));
    },
    untilKnown: async (webhookId) => {
      const pace = paceOf(webhookId);
      const remainingMs = longestOwnMs - sinceMs(pace.changed);
      if (pace.times.ended === 0 && remainingMs > 0) {
        await new Promise<void>((resolve) => {
          pace.awaiting.push(resolve);
          setTimeout(resolve, remainingMs).unref();
        });
      }
    },
    untilSlotMs: (webhookId, request) => {
      const pace = paceOf(webhookId);
      const time = now();
      const { due, clock } = takeSlot(pace.slots, time, request);
      pace.slots = clock;
      return due - time;
    },
  };
}
