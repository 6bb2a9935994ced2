/** Lets a bounded number of each owner's records be worked on; the others wait in a line, the first one first. */
export interface OwnerLines {
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

  const enter = async (line: Line) => {
    if (line.underWay < underWay) {
      line.underWay += 1;
    } else {
      await new Promise<void>((resolve) => line.waiting.add(resolve));
    }
  };

  /** The place goes to the next in line, so nobody who comes now can take it. */
  const leave = (owner: string, line: Line) => {
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
    run: async (owner, work) => {
      const line = lineOf(owner);
      await enter(line);
      try {
        return await work();
      } finally {
        leave(owner, line);
      }
    },
  };
}
