import { setTimeout as pause } from 'node:timers/promises';

/**
 * A function whose work has one run at a time. A call during a run waits for the next run, which it shares with the
 * other waiting calls, so each result is newer than its call.
 * @param betweenMs the least time between the starts of two runs, in milliseconds
 */
export function sharedNext<Result>(work: () => Promise<Result>, betweenMs = 0): () => Promise<Result> {
  let next: Promise<Result> | null = null;
  let current: Promise<unknown> = Promise.resolve();
  let earliest = -Infinity;

  const runNext = async (before: Promise<unknown>): Promise<Result> => {
    await before;
    const waitMs = earliest - performance.now();
    await (waitMs > 0 ? pause(waitMs) : null);
    earliest = performance.now() + betweenMs;
    next = null;
    const run = work();
    current = run.catch(() => undefined);
    return run;
  };

  return () => (next ??= runNext(current));
}

/**
 * Like `sharedNext`, with one run at a time for each key, whose work depends on the key alone. Nothing is stored of a key
 * without a waiting call.
 */
export function sharedNextOfKey<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const known = new Map<string, { readonly next: () => Promise<Result>; calls: number }>();
  return async (key, work) => {
    const shared = known.get(key) ?? { next: sharedNext(work), calls: 0 };
    known.set(key, shared);
    shared.calls += 1;
    try {
      return await shared.next();
    } finally {
      shared.calls -= 1;
      if (shared.calls === 0) {
        known.delete(key);
      }
    }
  };
}
