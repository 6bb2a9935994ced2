import { setTimeout as pause } from 'node:timers/promises';

/** Work of a group that the next owner of a partition would repeat, such as a request to a webhook. */
export interface WorkInFlight {
  /**
   * Runs work, but begins none while the group is rebalancing.
   * @returns null, with nothing begun, if the signal is aborted before
   */
  readonly run: <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result | null>;
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

  return {
    run: async (signal, work) => {
      while (held !== null) {
        await held.released;
      }
      if (signal.aborted) {
        return null;
      }
      const entry = { at: now() };
      begun.add(entry);
      try {
        return await work();
      } finally {
        begun.delete(entry);
      }
    },
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
