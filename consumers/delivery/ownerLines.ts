/** Lets a bounded number of each owner's records be worked on; the others wait in a line, the first one first. */
export interface OwnerLines {
  /** Calls `start` when there is a place for the owner's next: at once, or when another one leaves. */
  readonly enter: (owner: string, start: () => void) => void;
  /** Gives back a place that was begun with. */
  readonly leave: (owner: string) => void;
  /** Does both around a piece of work. */
  readonly run: <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;
}

interface Line {
  underWay: number;
  readonly waiting: Set<() => void>;
}

/** @param underWay how many of one owner's records are worked on at once */
export function createOwnerLines(underWay: number): OwnerLines {
  const lines = new Map<string, Line>();

  const lineOf = (owner: string): Line => {
    const line = lines.get(owner) ?? { underWay: 0, waiting: new Set() };
    lines.set(owner, line);
    return line;
  };

  const enter = (owner: string, start: () => void) => {
    const line = lineOf(owner);
    if (line.underWay < underWay) {
      line.underWay += 1;
      start();
    } else {
      line.waiting.add(start);
    }
  };

  /** The place goes to the next in line, so nobody who comes now can take it. */
  const leave = (owner: string) => {
    const line = lineOf(owner);
    const [next] = line.waiting;
    if (next !== undefined) {
      line.waiting.delete(next);
      next();
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
        enter(owner, resolve);
      });
      try {
        return await work();
      } finally {
        leave(owner);
      }
    },
  };
}
