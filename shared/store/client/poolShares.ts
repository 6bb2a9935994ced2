import { createFairSemaphore, type FairSemaphore } from '../../concurrency/fairSemaphore.js';

/**
 * Shares of the connections to the database. Slow or many requests of one kind or account leave connections to the
 * others.
 */
export interface PoolShares {
  /** Lists, counts and statistics: reads that may take seconds. */
  readonly lists: FairSemaphore;
  /** Reads by id, and of the accounts that keys and sessions belong to. */
  readonly lookups: FairSemaphore;
  /** Idempotency keys. The commands themselves run one at a time for each account. */
  readonly commands: FairSemaphore;
}

/** As long as a request waits for a free connection of the pool, in milliseconds. */
const maximumWaitMs = 2000;

/** One account may use a third of the slots for slow reads, because a slot stays occupied until its read ends. */
const ownersOfSlowReads = 3;

/** @param poolSize the largest number of connections. The process's own reads use the rest. */
export function createPoolShares(poolSize: number): PoolShares {
  const slotsOf = (fraction: number) => Math.max(1, Math.floor(poolSize * fraction));
  const [lists, lookups, commands] = [slotsOf(0.2), slotsOf(0.3), slotsOf(0.4)];
  return {
    lists: createFairSemaphore({
      slots: lists,
      slotsOfKey: Math.ceil(lists / ownersOfSlowReads),
      maximumWaitMs,
      overload: 'too many lists are being read at the same time',
      retryAfterSeconds: 1,
    }),
    lookups: createFairSemaphore({
      slots: lookups,
      maximumWaitMs,
      overload: 'too many resources are being read at the same time',
      retryAfterSeconds: 1,
    }),
    commands: createFairSemaphore({
      slots: commands,
      maximumWaitMs,
      overload: 'too many changes are being made at the same time',
      retryAfterSeconds: 1,
    }),
  };
}
