import { setTimeout as pause } from 'node:timers/promises';

/** Work of a group that the next owner of a partition would repeat, such as a request to a webhook. */
export interface WorkInFlight {
  /**
   * Runs work, but begins none while the group is rebalancing.
   * @returns null, with nothing begun, if the signal is aborted before
   */
  readonly run: <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result | null>;
  /** Runs work at once. Null, with nothing begun, while the group is rebalancing. */
  readonly runUnlessHeld: <Result>(work: () => Promise<Result>) => Promise<Result> | null;
  /** Resolves when work may begin: at once, or at the end of the rebalance. */
  readonly whenReleased: () => Promise<void>;
  /** Begins nothing from now on, until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Resolves when all work has ended that began less than `limitMs` ago: after `limitMs` at the latest while nothing begins. */
  readonly ended: (limitMs: number) => Promise<void>;
  /** How much has begun and not ended. */
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
      // Without a hold the work begins in this turn, so that a rebalance in the next one waits for it.
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
