import { UnavailableError } from '../core/errors.js';

/**
 * A semaphore that is fair by key, such as the account or the network of a request. Keys with waiting work get the free
 * slots in turn.
 *
 * ```
 *   key A ▢▢▢▢▢▢▢▢ ──► at most 2 in flight ──┐
 *   key B ▢ ─────────► at most 2 in flight ──┼──► slots
 *   key C ▢▢▢ ───────► at most 2 in flight ──┘
 * ```
 */
export interface FairSemaphore {
  /**
   * Runs work when a slot is free.
   * @throws UnavailableError if too much work waits, or if no slot is free in time
   */
  readonly run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface FairSemaphoreOptions {
  /** The maximum number of pieces of work in flight. */
  readonly slots: number;
  /**
   * The maximum number of pieces of work in flight for one key; all slots by default. If `slotsOfKey` is less than
   * `slots`, slow work of one key cannot occupy all slots.
   */
  readonly slotsOfKey?: number;
  /** The maximum number of waiting pieces of work of all keys; unlimited by default. */
  readonly maximumWaiting?: number;
  /** The maximum number of waiting pieces of work of one key; unlimited by default. */
  readonly maximumWaitingOfKey?: number;
  /** The longest wait for a slot, in milliseconds; unlimited by default. */
  readonly maximumWaitMs?: number;
  /** The error message for work that is rejected. */
  readonly overload: string;
  /** When a client may send rejected work again, in seconds. */
  readonly retryAfterSeconds: number;
}

interface Waiting {
  readonly start: () => void;
  readonly reject: () => void;
}

/**
 * Creates a fair semaphore. If the queue is full, the newest work of the key with the most waiting work is rejected for
 * a key with less waiting work. So one key alone cannot fill the queue.
 */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { slots, slotsOfKey = slots, maximumWaitMs, overload, retryAfterSeconds } = options;
  const { maximumWaiting = Infinity, maximumWaitingOfKey = Infinity } = options;
  /**
   * The waiting work of each key, the oldest first. The keys are in the order in which they get slots. A key that got a
   * slot moves to the end.
   */
  const queues = new Map<string, Set<Waiting>>();
  const inFlight = new Map<string, number>();
  let waiting = 0;
  let running = 0;

  const changeInFlight = (key: string, by: number) => {
    running += by;
    const count = (inFlight.get(key) ?? 0) + by;
    if (count === 0) {
      inFlight.delete(key);
    } else {
      inFlight.set(key, count);
    }
  };

  const hasSlot = (key: string) => running < slots && (inFlight.get(key) ?? 0) < slotsOfKey;

  /**
   * Removes a piece of work from the queue.
   * @returns false if the piece of work no longer waits
   */
  const remove = (key: string, piece: Waiting): boolean => {
    const queue = queues.get(key);
    if (queue?.delete(piece) !== true) {
      return false;
    }
    waiting -= 1;
    if (queue.size === 0) {
      queues.delete(key);
    }
    return true;
  };

  /** @returns whether another piece of a key with `length` waiting pieces may wait in the queue */
  const makeRoom = (length: number): boolean => {
    if (length >= maximumWaitingOfKey) {
      return false;
    }
    if (waiting < maximumWaiting) {
      return true;
    }
    const [longest] = [...queues].toSorted(([, one], [, other]) => other.size - one.size);
    if (longest === undefined || longest[1].size <= length + 1) {
      return false;
    }
    const [key, queue] = longest;
    const newest = [...queue].at(-1);
    if (newest !== undefined && remove(key, newest)) {
      newest.reject();
    }
    return true;
  };

  /** The next key that gets a slot. Only keys that already occupy all of their slots are skipped. */
  const nextTurn = (): readonly [key: string, queue: Set<Waiting>] | null => {
    for (const turn of running < slots ? queues : []) {
      if (hasSlot(turn[0])) {
        return turn;
      }
    }
    return null;
  };

  const startNext = () => {
    const [key, queue] = nextTurn() ?? ['', new Set<Waiting>()];
    const [next] = queue;
    if (next !== undefined && remove(key, next)) {
      if (queues.delete(key)) {
        queues.set(key, queue);
      }
      changeInFlight(key, 1);
      next.start();
    }
  };

  const enter = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const overloaded = () => {
        reject(new UnavailableError(overload, { retryAfterSeconds }));
      };
      const queue = queues.get(key) ?? new Set();
      if (!hasSlot(key) && !makeRoom(queue.size)) {
        overloaded();
        return;
      }
      let timer: NodeJS.Timeout | undefined;
      const piece: Waiting = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: () => {
          clearTimeout(timer);
          overloaded();
        },
      };
      queues.set(key, queue.add(piece));
      waiting += 1;
      startNext();
      if (maximumWaitMs !== undefined && queue.has(piece)) {
        timer = setTimeout(() => {
          if (remove(key, piece)) {
            overloaded();
          }
        }, maximumWaitMs);
      }
    });

  return {
    run: async (key, work) => {
      await enter(key);
      try {
        return await work();
      } finally {
        changeInFlight(key, -1);
        startNext();
      }
    },
  };
}
