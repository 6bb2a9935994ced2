/** Lets the events of an account that need a look-up go before its newer events, which need none. */
export interface OlderFirst {
  /** Runs the look-up of an older event. */
  readonly lookUp: <Result>(accountId: string, run: () => Promise<Result>) => Promise<Result>;
  /** Resolves when no look-up of the account is running, or when its look-ups have taken too long. */
  readonly whenLookedUp: (accountId: string) => Promise<void>;
}

/** The look-ups of an account that are running. */
interface LookUps {
  running: number;
  /** Resolves when all of them have ended, or after the longest wait. */
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * The longest time for which newer events wait, in milliseconds. While the projections are stopped, no look-up ends, and
 * newer events are delivered nevertheless.
 */
const defaultLongestWaitMs = 10_000;

/**
 * After an assignment, an event from before waits until a read model shows whether it was delivered. A newer event needs
 * no look-up, and was delivered up to a minute before the older ones if the read model was behind.
 */
export function createOlderFirst(longestWaitMs = defaultLongestWaitMs): OlderFirst {
  const accounts = new Map<string, LookUps>();

  const begin = (accountId: string): LookUps => {
    const lookUps = accounts.get(accountId) ?? createLookUps(longestWaitMs);
    accounts.set(accountId, lookUps);
    lookUps.running += 1;
    return lookUps;
  };

  return {
    lookUp: async (accountId, run) => {
      const lookUps = begin(accountId);
      try {
        return await run();
      } finally {
        lookUps.running -= 1;
        if (lookUps.running === 0) {
          accounts.delete(accountId);
          lookUps.end();
        }
      }
    },
    whenLookedUp: async (accountId) => {
      await accounts.get(accountId)?.over;
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
