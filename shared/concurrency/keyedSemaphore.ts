import TinyQueue from 'tinyqueue';

/** A semaphore for each key, which limits the concurrent work of one key. Work beyond the limit waits in a queue. */
export interface KeyedSemaphore {
  /**
   * Calls `start` when a slot of the key is free, which is immediately or after another entry leaves.
   * @param since the time by which waiting entries are ordered, the earliest first; entries with equal times start in
   *   the order of their arrival
   * @returns a function that withdraws the entry from the queue; null if the entry has started immediately
   */
  readonly enter: (key: string, since: number, start: () => void) => (() => void) | null;
  /** Frees the slot of a started entry. */
  readonly leave: (key: string) => void;
  /** Runs work in a slot of the key, in the order of arrival. */
  readonly run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

interface Waiting {
  readonly since: number;
  /** The number of earlier entries of all keys, which orders entries by arrival. */
  readonly arrival: number;
  readonly start: () => void;
  isWithdrawn: boolean;
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
    const line = lines.get(key) ?? { inFlight: 0, waiting: new TinyQueue([], byMoment) };
    lines.set(key, line);
    return line;
  };

  const enter = (key: string, since: number, start: () => void) => {
    const line = lineOf(key);
    if (line.inFlight < limit) {
      line.inFlight += 1;
      start();
      return null;
    }
    const entry = { since, arrival: arrivals, start, isWithdrawn: false };
    line.waiting.push(entry);
    arrivals += 1;
    return () => {
      entry.isWithdrawn = true;
    };
  };

  /** Gives the freed slot to the next entry of the queue, so that a new entry cannot take the slot. */
  const leave = (key: string) => {
    const line = lineOf(key);
    const next = nextIn(line);
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
    enter,
    leave,
    run: async (key, work) => {
      await new Promise<void>((resolve) => {
        enter(key, 0, resolve);
      });
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}

function nextIn({ waiting }: Line): Waiting | undefined {
  let next = waiting.pop();
  while (next?.isWithdrawn === true) {
    next = waiting.pop();
  }
  return next;
}

function byMoment(one: Waiting, other: Waiting): number {
  return one.since - other.since || one.arrival - other.arrival;
}
