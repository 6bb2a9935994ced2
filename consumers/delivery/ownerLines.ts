import TinyQueue from 'tinyqueue';

/** Lets a bounded number of each owner's records be worked on; the others wait in a line. */
export interface OwnerLines {
  /**
   * Calls `start` when there is a place for it: at once, or when another one leaves.
   * @param since the earliest of those who wait is next; of one moment, who came first
   */
  readonly enter: (owner: string, since: number, start: () => void) => void;
  /** Gives back a place that was begun with. */
  readonly leave: (owner: string) => void;
  /** Does both around a piece of work; who came first is next. */
  readonly run: <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;
}

interface Waiting {
  readonly since: number;
  /** How many had come to any line before. */
  readonly arrival: number;
  readonly start: () => void;
}

interface Line {
  underWay: number;
  readonly waiting: TinyQueue<Waiting>;
}

/** @param underWay how many of one owner's records are worked on at once */
export function createOwnerLines(underWay: number): OwnerLines {
  const lines = new Map<string, Line>();
  let arrivals = 0;

  const lineOf = (owner: string): Line => {
    const line = lines.get(owner) ?? { underWay: 0, waiting: new TinyQueue([], byMoment) };
    lines.set(owner, line);
    return line;
  };

  const enter = (owner: string, since: number, start: () => void) => {
    const line = lineOf(owner);
    if (line.underWay < underWay) {
      line.underWay += 1;
      start();
    } else {
      line.waiting.push({ since, arrival: arrivals, start });
      arrivals += 1;
    }
  };

  /** The place goes to the next in line, so nobody who comes now can take it. */
  const leave = (owner: string) => {
    const line = lineOf(owner);
    const next = line.waiting.pop();
    if (next !== undefined) {
      next.start();
      return;
    }
    line.underWay -= 1;
    if (line.underWay === 0) {
      lines.delete(owner);
    }
  };

  return {
    enter,
    leave,
    run: async (owner, work) => {
      await new Promise<void>((resolve) => {
        enter(owner, 0, resolve);
      });
      try {
        return await work();
      } finally {
        leave(owner);
      }
    },
  };
}

function byMoment(one: Waiting, other: Waiting): number {
  return one.since - other.since || one.arrival - other.arrival;
}
