import { UnavailableError } from '../core/errors.js';

/**
 * The queue of threads, which is fair by the time that calls take. Shares have three levels: account, tenant, webhook.
 * At each level, the next call is of the share that has used the least time while others waited (start-time fair
 * queuing).
 *
 * Background calls start only if no other call waits, and use at most a quarter of one thread.
 */
export interface CallQueue {
  /**
   * Runs work when a thread and the shares are free.
   * @throws UnavailableError if too many calls wait, or if the call cannot start in time
   */
  readonly run: <Result>(
    path: SharePath,
    work: () => Promise<Result>,
    options?: { readonly isBackground?: boolean },
  ) => Promise<Result>;
}

/** The ids of account, tenant and webhook. */
export type SharePath = readonly [accountId: string, tenantId: string, webhookId: string];

export interface CallQueueOptions {
  /** The number of calls in flight. */
  readonly slots: number;
  /** The maximum number of waiting calls. Each share may fill half of what its siblings leave free. */
  readonly maximumWaiting: number;
  /** The longest time until a call starts, in milliseconds. */
  readonly maximumWaitMs: number;
  /** The monotonic time in milliseconds. */
  readonly now?: () => number;
}

interface Waiting {
  readonly start: () => void;
}

interface Share {
  /** The time that the share has used, in milliseconds of the parent's `progress`. */
  used: number;
  /** The `used` of the child that was served last. A share without waiting calls cannot save time for later. */
  progress: number;
  /** The number of waiting calls of the share and its children. */
  waiting: number;
  readonly children: Map<string, Share>;
  readonly calls: Set<Waiting>;
}

const createShare = (used: number): Share => ({
  ...{ used, progress: 0, waiting: 0, children: new Map(), calls: new Set() },
});

/** After a background call of t ms, the next one starts 3 t later at the earliest. */
const pauseFactor = 3;

/** The number of children above which the shares of idle children are removed. */
const maximumIdle = 1000;

export function createCallQueue(options: CallQueueOptions): CallQueue {
  const { slots, maximumWaiting, maximumWaitMs, now = performance.now.bind(performance) } = options;
  const urgent = createShare(0);
  const background = createShare(0);
  let inFlight = 0;
  let pausedUntil = 0;
  let wake: NodeJS.Timeout | undefined;

  const startNext = (): void => {
    if (inFlight === slots) {
      return;
    }
    if (urgent.waiting > 0) {
      takeNext(urgent).start();
      return;
    }
    if (background.waiting > 0) {
      const pauseMs = pausedUntil - now();
      clearTimeout(wake);
      if (pauseMs <= 0) {
        takeNext(background).start();
      } else {
        wake = setTimeout(startNext, pauseMs + 1);
      }
    }
  };

  const enter = (root: Share, path: SharePath) =>
    new Promise<void>((resolve, reject) => {
      if (!hasRoom(root, path, maximumWaiting)) {
        reject(overloaded());
        return;
      }
      const shares = sharesOf(root, path);
      const call: Waiting = {
        start: () => {
          clearTimeout(timeout);
          inFlight += 1;
          resolve();
        },
      };
      const timeout = setTimeout(() => {
        remove(shares, call);
        reject(overloaded());
      }, maximumWaitMs);
      add(shares, call);
      startNext();
    });

  const leave = (root: Share, path: SharePath, ms: number) => {
    inFlight -= 1;
    for (const share of sharesOf(root, path)) {
      share.used += ms;
    }
    if (root === background) {
      pausedUntil = now() + pauseFactor * ms;
    }
    startNext();
  };

  return {
    run: async (path, work, { isBackground = false } = {}) => {
      const root = isBackground ? background : urgent;
      await enter(root, path);
      const startedAt = now();
      try {
        return await work();
      } finally {
        leave(root, path, now() - startedAt);
      }
    },
  };
}

function overloaded(): UnavailableError {
  return new UnavailableError('too many transformations wait for the sandbox', { retryAfterSeconds: 1 });
}

/**
 * Whether another call of the path may wait. A share may have as many waiting calls as its parent still has room for. So
 * no share fills the queue alone, and the first call of another share finds room.
 */
function hasRoom(root: Share, path: SharePath, maximumWaiting: number): boolean {
  let room = maximumWaiting - root.waiting;
  let share: Share | undefined = root;
  for (const id of path) {
    share = share?.children.get(id);
    const waiting = share?.waiting ?? 0;
    if (waiting >= room) {
      return false;
    }
    room -= waiting;
  }
  return true;
}

/** The shares of a path, from the root to the webhook. Missing ones are created. */
function sharesOf(root: Share, path: SharePath): readonly Share[] {
  const shares = [root];
  let parent = root;
  for (const id of path) {
    const share = parent.children.get(id) ?? createShare(parent.progress);
    if (!parent.children.has(id)) {
      removeIdle(parent);
      parent.children.set(id, share);
    }
    shares.push(share);
    parent = share;
  }
  return shares;
}

function removeIdle({ children }: Share): void {
  if (children.size >= maximumIdle) {
    for (const [id, { waiting }] of children) {
      if (waiting === 0) {
        children.delete(id);
      }
    }
  }
}

function add(shares: readonly Share[], call: Waiting): void {
  shares.forEach((share, level) => {
    if (share.waiting === 0) {
      share.used = Math.max(share.used, shares[level - 1]?.progress ?? 0);
    }
    share.waiting += 1;
  });
  shares.at(-1)?.calls.add(call);
}

function remove(shares: readonly Share[], call: Waiting): void {
  shares.at(-1)?.calls.delete(call);
  for (const share of shares) {
    share.waiting -= 1;
  }
}

/** Removes the call whose turn it is from the queue. At least one call waits. */
function takeNext(root: Share): Waiting {
  const shares = [root];
  let share = root;
  while (share.children.size > 0) {
    const waiting = [...share.children.values()].filter((child) => child.waiting > 0);
    const next = waiting.reduce((least, child) => (child.used < least.used ? child : least));
    share.progress = Math.max(share.progress, next.used);
    shares.push(next);
    share = next;
  }
  const [call] = share.calls;
  if (call === undefined) {
    throw new Error('a share counts calls that do not wait');
  }
  remove(shares, call);
  return call;
}
