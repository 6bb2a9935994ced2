import type { Arrivals, EventRange } from './requests.js';

/** The arrivals of events at webhooks. */
export interface ArrivalLog {
  readonly add: (webhook: number, sequence: number, at: number) => void;
  /** The number of events of a range that have arrived. */
  readonly count: (range: EventRange) => number;
  readonly arrivals: (range: EventRange) => Arrivals;
}

/** By event number. Typed arrays, because a million events are counted while others arrive. */
interface Arrived {
  /** The time of the first request. */
  readonly at: Float64Array;
  readonly requests: Uint16Array;
}

const smallest = 1024;
const nothing: Arrived = { at: new Float64Array(), requests: new Uint16Array() };

export function createArrivalLog(): ArrivalLog {
  const byWebhook = new Map<number, Arrived>();

  const requestsIn = ({ webhook, first, count }: EventRange): Uint16Array =>
    (byWebhook.get(webhook) ?? nothing).requests.subarray(first, first + count);

  return {
    add: (webhook, sequence, at) => {
      const arrived = roomFor(sequence, byWebhook.get(webhook) ?? nothing);
      byWebhook.set(webhook, arrived);
      const before = arrived.requests[sequence] ?? 0;
      arrived.requests[sequence] = before + 1;
      if (before === 0) {
        arrived.at[sequence] = at;
      }
    },
    count: (range) => requestsIn(range).reduce((sum, requests) => sum + Number(requests > 0), 0),
    arrivals: (range) => {
      const { webhook, first, count } = range;
      const arrivedAt = new Float64Array(count).fill(NaN);
      arrivedAt.set((byWebhook.get(webhook) ?? nothing).at.subarray(first, first + count));
      return {
        arrivedAt,
        repeated: requestsIn(range).reduce((sum, requests) => sum + Math.max(0, requests - 1), 0),
      };
    },
  };
}

/** The same arrays, or longer copies. */
function roomFor(sequence: number, arrived: Arrived): Arrived {
  if (sequence < arrived.at.length) {
    return arrived;
  }
  const length = Math.max(smallest, 2 * (sequence + 1));
  const at = new Float64Array(length).fill(NaN);
  const requests = new Uint16Array(length);
  at.set(arrived.at);
  requests.set(arrived.requests);
  return { at, requests };
}
