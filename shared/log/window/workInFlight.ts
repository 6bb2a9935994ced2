import { setTimeout as pause } from 'node:timers/promises';

/** The started work that the next owner of a partition would repeat, such as a request to a webhook. */
export interface WorkInFlight {
  /**
   * Runs work. During a rebalance, the start of the work is delayed.
   * @returns null if the signal is aborted before the work has started
   */
  readonly run: <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result | null>;
  /** Runs work at once. During a rebalance, the result is null and the work is not started. */
  readonly runUnlessHeld: <Result>(work: () => Promise<Result>) => Promise<Result> | null;
  /** Resolves when work may start, which is at once or at the end of the rebalance. */
  readonly whenReleased: () => Promise<void>;
  /** Delays the start of further work until `release` is called. */
  readonly hold: () => void;
  readonly release: () => void;
  /**
   * Resolves when all work that started less than `limitMs` ago has ended. If no further work starts, `ended` resolves
   * within `limitMs`.
   */
  readonly ended: (limitMs: number) => Promise<void>;
  /** Returns how much work has started and not ended. */
  readonly count: () => number;
}

const checkIntervalMs = 10;

/** @param now a monotonic clock, in milliseconds */
export function createWorkInFlight(now: () => number = () => performance.now()): WorkInFlight {
  const begun = new Set<{ readonly at: number }>();
  let held: { readonly released: Promise<void>; readonly release: () => void } | null = null;

  const release = () => {
    held?.release();
    held = null;
  };

  const isAwaited = (limitMs: number) => [...begun].some(({ at }) => now() - at < limitMs);

  const whenReleased = async () => {
    while (held !== null) {
      await held.released;
    }
  };

  const begin = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const entry = { at: now() };
    begun.add(entry);
    try {
      return await work();
    } finally {
      begun.delete(entry);
    }
  };

  return {
    run: async (signal, work) => {
      // Without a hold, the work starts in the current turn of the event loop. So a rebalance in the next turn waits
      // for the work.
      if (held !== null) {
        await whenReleased();
      }
      return signal.aborted ? null : begin(work);
    },
    runUnlessHeld: (work) => (held === null ? begin(work) : null),
    whenReleased,
    hold: () => {
      held ??= createRelease();
    },
    release,
    ended: async (limitMs) => {
      while (isAwaited(limitMs)) {
        await pause(checkIntervalMs);
      }
    },
    count: () => begun.size,
  };
}

function createRelease(): { readonly released: Promise<void>; readonly release: () => void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release };
}
