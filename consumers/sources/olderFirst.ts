import { createAbortCallbacks } from '../../shared/concurrency/abortCallbacks.js';

/** Lets the events of a tenant that need a look-up go before its newer events, which need none. */
export interface OlderFirst {
  /**
   * Runs the look-up of an older event. Newer events wait for it until some seconds after the assignment, and not at all
   * if it begins later. So a look-up that is repeated does not extend the wait.
   * @param assignedAt the assignment of the event's partition, as a time of `performance.now()`
   */
  readonly lookUp: <Result>(
    tenant: string,
    assignedAt: number,
    run: () => Promise<Result>,
  ) => Promise<Result>;
  /**
   * Resolves when the look-ups that are running for the tenant have ended or have taken too long, or when `signal` is
   * aborted.
   */
  readonly whenLookedUp: (tenant: string, signal: AbortSignal) => Promise<void>;
}

/** The look-ups of a tenant that are running. */
interface LookUps {
  running: number;
  /** Resolves when all of them have ended, or after the longest wait. */
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * How long after an assignment newer events wait, in milliseconds. While the projections are stopped, no look-up ends,
 * and newer events are delivered nevertheless. Waiting events occupy the window, so the wait must be less than the 5 s
 * for which an account may delay others.
 */
const defaultLongestWaitMs = 3000;

/**
 * After an assignment, an event from before waits until a read model shows whether it was delivered. A newer event needs
 * no look-up, and would be delivered up to a minute before the older ones if the read model is behind.
 */
export function createOlderFirst(longestWaitMs = defaultLongestWaitMs): OlderFirst {
  const tenants = new Map<string, LookUps>();
  const abortCallbacks = createAbortCallbacks();

  const begin = (tenant: string, leftMs: number): LookUps => {
    const lookUps = tenants.get(tenant) ?? createLookUps(leftMs);
    tenants.set(tenant, lookUps);
    lookUps.running += 1;
    return lookUps;
  };

  return {
    lookUp: async (tenant, assignedAt, run) => {
      const leftMs = assignedAt + longestWaitMs - performance.now();
      if (leftMs <= 0) {
        return run();
      }
      const lookUps = begin(tenant, leftMs);
      try {
        return await run();
      } finally {
        lookUps.running -= 1;
        if (lookUps.running === 0) {
          tenants.delete(tenant);
          lookUps.end();
        }
      }
    },
    whenLookedUp: async (tenant, signal) => {
      const lookUps = tenants.get(tenant);
      if (lookUps === undefined || signal.aborted) {
        return;
      }
      await new Promise<void>((resolve) => {
        const remove = abortCallbacks.add(signal, resolve);
        void lookUps.over.then(remove).then(resolve);
      });
    },
  };
}

function createLookUps(longestWaitMs: number): LookUps {
  let resolveOver: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    resolveOver = resolve;
  });
  const timer = setTimeout(resolveOver, longestWaitMs);
  const end = () => {
    clearTimeout(timer);
    resolveOver();
  };
  return { running: 0, over, end };
}
