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
  /** Runs an exchange, and remembers how long it took. */
  readonly timed: <Result>(webhookId: string, exchange: () => Promise<Result>) => Promise<Result>;
  readonly meanExchangeMs: (webhookId: string) => number;
  /** Takes the webhook's next slot: in how many milliseconds it is. */
  readonly untilSlotMs: (webhookId: string, request: SlotRequest) => number;
}

interface Pace {
  times: ExchangeTimes;
  slots: SlotClock | null;
}

/** What a webhook was like so long ago says little of what it is like now. */
const forgottenAfterMs = 10 * 60_000;
/** Old ones are looked for when there are so many more than the last search has left: each is searched a few times at most. */
const searchedAfter = 1000;

/** @param now milliseconds of a monotonic clock */
export function createWebhookPaces(now: () => number): WebhookPaces {
  const paces = new Map<string, Pace>();
  let searchAt = searchedAfter;

  const forgetOld = () => {
    const time = now();
    for (const [webhookId, { times, slots }] of paces) {
      const isIdle = times.inFlight === 0 && time - times.changedAt > forgottenAfterMs;
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
    const pace = { times: unknownTimes(now()), slots: null };
    paces.set(webhookId, pace);
    if (paces.size >= searchAt) {
      forgetOld();
    }
    return pace;
  };

  return {
    timed: async (webhookId, exchange) => {
      const pace = paceOf(webhookId);
      const begin = now();
      pace.times = exchangeBegan(pace.times, begin);
      try {
        return await exchange();
      } finally {
        const end = now();
        pace.times = exchangeEnded(pace.times, end - begin, end);
      }
    },
    meanExchangeMs: (webhookId) => {
      const times = paces.get(webhookId)?.times ?? unknownTimes(0);
      return meanExchangeMs(times, now());
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
