import { UnavailableError } from '../core/errors.js';

/**
 * A semaphore that is fair by key, such as the account or the network of a request. Keys with waiting work get slots
 * in turn.
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
   * @throws UnavailableError if too much work waits, or no slot is free in time
   */
  readonly run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface FairSemaphoreOptions {
  /** Pieces of work in flight. */
  readonly slots: number;
  /** Pieces of work of one key in flight; all slots by default. If they are fewer, slow work of one key leaves slots to the others. */
  readonly slotsOfKey?: number;
  /** Pieces of work that wait, of all keys; not limited by default. */
  readonly maximumWaiting?: number;
  /** Pieces of work of one key that wait; not limited by default. */
  readonly maximumWaitingOfKey?: number;
  /** The longest wait for a slot, in milliseconds; not limited by default. */
  readonly maximumWaitMs?: number;
  /** The message of the error for work that is not run. */
  readonly overload: string;
  /** When a client may send rejected work again, in seconds. */
  readonly retryAfterSeconds: number;
}

interface Waiting {
  readonly start: () => void;
  readonly reject: () => void;
}

/**
 * If all places to wait are taken, the key with the most waiting work loses its newest piece to a key with less. Many keys
 * together can therefore fill the queue, but one key cannot.
 */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { slots, slotsOfKey = slots, maximumWaitMs, overload, retryAfterSeconds } = options;
  const { maximumWaiting = Infinity, maximumWaitingOfKey = Infinity } = options;
  /** Waiting work by key, the oldest first. The keys are in the order of their turns: one that was served is inserted again at the end. */
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

  /** @returns false if the piece does not wait any longer */
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

  /** @returns whether there is room for another piece of a key that has `length` pieces waiting */
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

  /** The key whose turn it is. Few are passed over: only a key with all of its slots has none while others are free. */
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
