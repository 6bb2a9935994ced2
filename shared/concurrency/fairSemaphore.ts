import { UnavailableError } from '../core/errors.js';

/** A semaphore that is fair by key: work of one key delays the work of another key by one piece at most. */
export interface FairSemaphore {
  /**
   * Runs work when a place is free. Keys with waiting work take turns.
   * @throws UnavailableError if too much work waits
   */
  run: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface FairSemaphoreOptions {
  /** Pieces of work in flight. */
  readonly atOnce: number;
  /** Pieces of work that wait, of all keys. */
  readonly maximumWaiting: number;
  /** Pieces of work of one key that wait. */
  readonly maximumWaitingOfKey: number;
  /** The message of the error for a piece of work that cannot wait. */
  readonly overload: string;
}

interface Waiting {
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

const retryAfterSeconds = 5;

/**
 * If all places to wait are taken, the key with the most waiting work loses its newest piece to a key with less. Many keys
 * together can therefore fill the queue, but one key cannot.
 */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { atOnce, maximumWaiting, maximumWaitingOfKey, overload } = options;
  /** In the order of their turns: a key that was served is inserted again at the end. */
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;

  const overloaded = () => new UnavailableError(overload, { retryAfterSeconds });

  /** @returns whether there is room for another piece of a key that has `length` pieces waiting */
  const makeRoom = (length: number): boolean => {
    if (length >= maximumWaitingOfKey) {
      return false;
    }
    if (waiting < maximumWaiting) {
      return true;
    }
    const longest = [...queues.values()].reduce<Waiting[]>(longerOf, []);
    const evicted = longest.length > length + 1 ? longest.pop() : undefined;
    if (evicted === undefined) {
      return false;
    }
    waiting -= 1;
    evicted.reject(overloaded());
    return true;
  };

  const startNext = () => {
    const [turn] = queues;
    if (turn === undefined || running >= atOnce) {
      return;
    }
    const [key, queue] = turn;
    const next = queue.shift();
    queues.delete(key);
    if (queue.length > 0) {
      queues.set(key, queue);
    }
    if (next !== undefined) {
      waiting -= 1;
      running += 1;
      next.start();
    }
  };

  const enter = (key: string) =>
    new Promise<void>((start, reject) => {
      const queue = queues.get(key) ?? [];
      if (running >= atOnce && !makeRoom(queue.length)) {
        reject(overloaded());
        return;
      }
      queue.push({ start, reject });
      queues.set(key, queue);
      waiting += 1;
      startNext();
    });

  return {
    run: async (key, work) => {
      await enter(key);
      try {
        return await work();
      } finally {
        running -= 1;
        startNext();
      }
    },
  };
}

function longerOf(one: Waiting[], other: Waiting[]): Waiting[] {
  return other.length > one.length ? other : one;
}
