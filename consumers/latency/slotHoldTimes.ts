import { latencyClasses, type LatencyClass } from './attemptClasses.js';
import {
  exchangeBegan,
  exchangeEnded,
  meanExchangeMs,
  unknownLatency,
  type LatencyEstimate,
} from './latencyEstimate.js';

/** The time for which an attempt of each latency class has its slot. */
export interface SlotHoldTimes {
  readonly began: (latencyClass: LatencyClass) => void;
  /** @param since when the attempt got its slot */
  readonly ended: (latencyClass: LatencyClass, since: number) => void;
  /** In milliseconds. */
  readonly meanMs: (latencyClass: LatencyClass) => number;
}

interface ClassTimes {
  times: LatencyEstimate;
  /** When a slot of the class was last taken or freed. */
  changed: number;
}

/**
 * The times include the time for which this process was busy: the attempts that wait for a slot wait for that time too.
 * If a starved process left it out, each slot would seem to be free at once, and attempts would wait until they are late.
 * @param now milliseconds of a monotonic clock
 */
export function createSlotHoldTimes(now: () => number): SlotHoldTimes {
  const byClass = new Map<LatencyClass, ClassTimes>(
    latencyClasses.map((latencyClass) => [latencyClass, { times: unknownLatency, changed: now() }]),
  );

  const change = (latencyClass: LatencyClass, work: (times: LatencyEstimate) => LatencyEstimate) => {
    const known = byClass.get(latencyClass);
    if (known !== undefined) {
      known.times = work(known.times);
      known.changed = now();
    }
  };

  return {
    began: (latencyClass) => {
      change(latencyClass, exchangeBegan);
    },
    ended: (latencyClass, since) => {
      const durationMs = now() - since;
      change(latencyClass, (times) => exchangeEnded(times, durationMs, true));
    },
    meanMs: (latencyClass) => {
      const known = byClass.get(latencyClass);
      return known === undefined ? 0 : meanExchangeMs(known.times, now() - known.changed);
    },
  };
}
