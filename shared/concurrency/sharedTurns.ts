/** A computation in steps. The caller can pause between two steps, and continue later. */
export type Steps<Result> = Generator<undefined, Result>;

/** The turns of the event loop, which computations of any length share with all other work of the process. */
export interface SharedTurns {
  /**
   * Runs a computation. A short computation ends before the first pause. All computations together get one slice of
   * time in each turn of the event loop, and the paused ones get their slices in rotation.
   */
  readonly run: <Result>(steps: Steps<Result>) => Result | Promise<Result>;
}

/** The length of the slice, in milliseconds. Other work of the process waits at most so long. */
const usualSliceMs = 4;

export function createSharedTurns(sliceMs = usualSliceMs): SharedTurns {
  const paused: (() => void)[] = [];
  /** The end of the slice of the present turn; null before the slice has begun. */
  let endsAt: number | null = null;

  /** The end of the slice. The first caller in a turn begins the slice. */
  const sliceEnd = (): number => {
    if (endsAt === null) {
      endsAt = performance.now() + sliceMs;
      setImmediate(() => {
        endsAt = null;
        const next = paused.shift();
        if (next !== undefined) {
          sliceEnd();
          next();
        }
      });
    }
    return endsAt;
  };

  const nextTurn = () =>
    new Promise<void>((resolve) => {
      paused.push(resolve);
      sliceEnd();
    });

  /** @returns null if the slice has ended before the computation */
  const runSlice = <Result>(steps: Steps<Result>): { readonly result: Result } | null => {
    const end = sliceEnd();
    do {
      const { done, value } = steps.next();
      if (done === true) {
        return { result: value };
      }
    } while (performance.now() < end);
    return null;
  };

  const runLong = async <Result>(steps: Steps<Result>): Promise<Result> => {
    for (;;) {
      await nextTurn();
      const ended = runSlice(steps);
      if (ended !== null) {
        return ended.result;
      }
    }
  };

  return {
    run: (steps) => {
      const ended = runSlice(steps);
      return ended === null ? runLong(steps) : ended.result;
    },
  };
}

/** Runs a computation to its end without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      return value;
    }
  }
}
