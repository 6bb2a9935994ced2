import { UnavailableError } from '../core/errors.js';
import { createKeyedSemaphore, type KeyedSemaphore } from './keyedSemaphore.js';

/** A part of a resource that owners, such as accounts, share fairly. */
export interface FairShare {
  /**
   * Runs work in a slot.
   * @throws UnavailableError if no slot is free in time
   */
  readonly run: <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface FairShareSettings {
  /** Work in flight of all owners. */
  readonly slots: number;
  /** Work in flight of one owner: fewer, so that owners with slow work leave slots to the others. */
  readonly slotsOfOwner: number;
  /** The longest wait for a slot, in milliseconds. */
  readonly waitMs: number;
  /** The message of the error if no slot is free in time. */
  readonly busy: string;
}

const everyOwner = '';

/**
 * ```
 *   owner A ▢▢▢▢▢▢▢▢ ──► at most 2 ──┐
 *   owner B ▢ ─────────► at most 2 ──┼──► one line, in the order of arrival ──► slots
 *   owner C ▢▢▢ ───────► at most 2 ──┘
 * ```
 * An owner is in the common line at most as often as it may have slots, so it waits for few entries of each other owner.
 */
export function createFairShare({ slots, slotsOfOwner, waitMs, busy }: FairShareSettings): FairShare {
  const owners = createKeyedSemaphore(slotsOfOwner);
  const all = createKeyedSemaphore(slots);

  const enter = (semaphore: KeyedSemaphore, key: string, deadline: number) =>
    new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const withdraw = semaphore.enter(key, 0, () => {
        clearTimeout(timer);
        resolve();
      });
      if (withdraw !== null) {
        timer = setTimeout(() => {
          withdraw();
          reject(new UnavailableError(busy));
        }, deadline - performance.now());
      }
    });

  return {
    run: async (owner, work) => {
      const deadline = performance.now() + waitMs;
      await enter(owners, owner, deadline);
      try {
        await enter(all, everyOwner, deadline);
        try {
          return await work();
        } finally {
          all.leave(everyOwner);
        }
      } finally {
        owners.leave(owner);
      }
    },
  };
}
