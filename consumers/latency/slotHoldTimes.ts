import { latencyClasses, type LatencyClass } from './attemptClasses.js';
import {
  exchangeBegan,
  exchangeEnded,
  meanExchangeMs,
  unknownLatency,
  type LatencyEstimate,
} from './latencyEstimate.js';
import type { createProcessTime, Moment } from './processClocks.js';

/** The time for which an attempt of each latency class has its slot. */
export interface SlotHoldTimes {
  readonly began: (latencyClass: LatencyClass) => void;
  /** @param since when the attempt got its slot */
  readonly ended: (latencyClass: LatencyClass, since: Moment) => void;
  readonly meanMs: (latencyClass: LatencyClass) => number;
}

interface ClassTimes {
  times: LatencyEstimate;
  /** When a slot of the class was last taken or freed. */
  changed: Moment;
}

export function createSlotHoldTimes({
  moment,
  sinceMs,
}: ReturnType<typeof createProcessTime>): SlotHoldTimes {
  const byClass = new Map<LatencyClass, ClassTimes>(
    latencyClasses.map((latencyClass) => [latencyClass, { times: unknownLatency, changed: moment() }]),
  );

  const change = (latencyClass: LatencyClass, work: (times: LatencyEstimate) => LatencyEstimate) => {
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
