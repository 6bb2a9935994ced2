import TinyQueue from 'tinyqueue';

/** A semaphore for each key, which limits the concurrent work of one key. Work beyond the limit waits in a queue. */
export interface KeyedSemaphore {
  /** Runs work in a slot of the key, in the order of arrival. */
  readonly run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

interface Waiting {
  /** The number of earlier entries of all keys. */
  readonly arrival: number;
  readonly start: () => void;
}

interface Line {
  inFlight: number;
  readonly waiting: TinyQueue<Waiting>;
}

/** @param limit the number of slots of each key */
export function createKeyedSemaphore(limit: number): KeyedSemaphore {
  const lines = new Map<string, Line>();
  let arrivals = 0;

  const lineOf = (key: string): Line => {
    const line = lines.get(key) ?? { inFlight: 0, waiting: new TinyQueue([], byArrival) };
    lines.set(key, line);
    return line;
  };

  const enter = (key: string) =>
    new Promise<void>((start) => {
      const line = lineOf(key);
      if (line.inFlight < limit) {
        line.inFlight += 1;
        start();
        return;
      }
      line.waiting.push({ arrival: arrivals, start });
      arrivals += 1;
    });

  /** Gives the freed slot to the next entry of the queue, so that a new entry cannot take the slot. */
  const leave = (key: string) => {
    const line = lineOf(key);
    const next = line.waiting.pop();
    if (next !== undefined) {
      next.start();
      return;
    }
    line.inFlight -= 1;
    if (line.inFlight === 0) {
      lines.delete(key);
    }
  };

  return {
    run: async (key, work) => {
      await enter(key);
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}

function byArrival(one: Waiting, other: Waiting): number {
  return one.arrival - other.arrival;
}
