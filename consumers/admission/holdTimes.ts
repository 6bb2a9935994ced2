import { latencyClasses, type LatencyClass } from './attemptKinds.js';
import {
  exchangeBegan,
  exchangeEnded,
  meanExchangeMs,
  unknownTimes,
  type ExchangeTimes,
} from './exchangeTimes.js';
import type { createOwnTime, Moment } from './ownTime.js';

/** How long the slots of each class are taken for one attempt. */
export interface HoldTimes {
  readonly began: (latencyClass: LatencyClass) => void;
  /** @param since when the attempt got its slot */
  readonly ended: (latencyClass: LatencyClass, since: Moment) => void;
  readonly meanMs: (latencyClass: LatencyClass) => number;
}

interface ClassTimes {
  times: ExchangeTimes;
  /** When a slot was taken or freed last. */
  changed: Moment;
}

export function createHoldTimes({ moment, sinceMs }: ReturnType<typeof createOwnTime>): HoldTimes {
  const byClass = new Map<LatencyClass, ClassTimes>(
    latencyClasses.map((latencyClass) => [latencyClass, { times: unknownTimes, changed: moment() }]),
  );

  const change = (latencyClass: LatencyClass, work: (times: ExchangeTimes) => ExchangeTimes) => {
    const known = byClass.get(latencyClass);
    if (known !== undefined) {
      known.times = work(known.times);
      known.changed = moment();
    }
  };

  return {
    began: (latencyClass) => {
      change(latencyClass, exchangeBegan);
    },
    ended: (latencyClass, since) => {
      const durationMs = sinceMs(since);
      change(latencyClass, (times) => exchangeEnded(times, durationMs, true));
    },
    meanMs: (latencyClass) => {
      const known = byClass.get(latencyClass);
      return known === undefined ? 0 : meanExchangeMs(known.times, sinceMs(known.changed));
    },
  };
}
