import TinyQueue from 'tinyqueue';

/** A semaphore for each key: limits the concurrent work of one owner. Work beyond the limit waits in a line. */
export interface KeyedSemaphore {
  /**
   * Calls `start` when a slot is free: immediately, or when another holder leaves.
   * @param since the earliest waiting entry is next; if equal, the entry that came first
   * @returns withdraws the entry from the line; null if it has started immediately
   */
  readonly enter: (key: string, since: number, start: () => void) => (() => void) | null;
  /** Frees the slot of an entry that has started. */
  readonly leave: (key: string) => void;
  /** Runs work in a slot, in the order of arrival. */
  readonly run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

interface Waiting {
  readonly since: number;
  /** The number of entries that came before, of any key. */
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

  /** The slot goes to the next entry of the line, so an entry that arrives now cannot take it. */
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
