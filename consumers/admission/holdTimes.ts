import { latencyClasses, type LatencyClass } from './attemptKinds.js';
import {
  exchangeBegan,
  exchangeEnded,
  meanExchangeMs,
  unknownTimes,
  type ExchangeTimes,
} from './exchangeTimes.js';

/** How long the slots of each class are taken for one attempt. */
export interface HoldTimes {
  readonly began: (latencyClass: LatencyClass) => void;
  /** @param durationMs how long the attempt had its slot */
  readonly ended: (latencyClass: LatencyClass, durationMs: number) => void;
  readonly meanMs: (latencyClass: LatencyClass) => number;
}

interface ClassTimes {
  times: ExchangeTimes;
  /** When a slot was taken or freed last. */
  changedAt: number;
}

/** @param now milliseconds of a monotonic clock */
export function createHoldTimes(now: () => number): HoldTimes {
  const byClass = new Map<LatencyClass, ClassTimes>(
    latencyClasses.map((latencyClass) => [latencyClass, { times: unknownTimes, changedAt: now() }]),
  );

  const change = (latencyClass: LatencyClass, work: (times: ExchangeTimes) => ExchangeTimes) => {
    const known = byClass.get(latencyClass);
    if (known !== undefined) {
      known.times = work(known.times);
      known.changedAt = now();
    }
  };

  return {
    began: (latencyClass) => {
      change(latencyClass, exchangeBegan);
    },
    ended: (latencyClass, durationMs) => {
      change(latencyClass, (times) => exchangeEnded(times, durationMs, true));
    },
    meanMs: (latencyClass) => {
      const known = byClass.get(latencyClass);
      return known === undefined ? 0 : meanExchangeMs(known.times, now() - known.changedAt);
    },
  };
}
