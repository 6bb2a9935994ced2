import type { Arrivals, EventRange } from './questions.js';

/** Which events have reached which webhook, and when. */
export interface ArrivalLog {
  readonly add: (webhook: number, sequence: number, at: number) => void;
  /** How many events of a range have arrived. */
  readonly count: (range: EventRange) => number;
  readonly arrivals: (range: EventRange) => Arrivals;
}

interface Arrival {
  readonly at: number;
  requests: number;
}

export function createArrivalLog(): ArrivalLog {
  const byWebhook = new Map<number, Map<number, Arrival>>();

  const inRange = ({ webhook, first, count }: EventRange): (Arrival | undefined)[] => {
    const known = byWebhook.get(webhook);
    return Array.from({ length: count }, (_, index) => known?.get(first + index));
  };

  return {
    add: (webhook, sequence, at) => {
      const known = byWebhook.get(webhook) ?? new Map<number, Arrival>();
      byWebhook.set(webhook, known);
      const arrival = known.get(sequence) ?? { at, requests: 0 };
      arrival.requests += 1;
      known.set(sequence, arrival);
    },
    count: (range) => inRange(range).filter((arrival) => arrival !== undefined).length,
    arrivals: (range) => {
      const arrivals = inRange(range);
      return {
        arrivedAt: Float64Array.from(arrivals, (arrival) => arrival?.at ?? NaN),
        repeated: arrivals.reduce((sum, arrival) => sum + Math.max(0, (arrival?.requests ?? 0) - 1), 0),
      };
    },
  };
}
