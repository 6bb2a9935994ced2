import { createFairSemaphore, type FairSemaphore } from '../../concurrency/fairSemaphore.js';

/**
 * Shares of MongoDB's connections for four kinds of requests. So neither slow requests nor many requests of one
 * account can occupy all connections.
 */
export interface PoolShares {
  /** The share for lists, counts and statistics, which may take seconds. */
  readonly lists: FairSemaphore;
  /**
   * The share for searches in the data of events. An account has one search at a time. All its tenants have another one
   * together.
   */
  readonly searches: FairSemaphore;
  /** The share for searches of tenants. A tenant has one search at a time, which may wait for those of other tenants. */
  readonly searchesOfTenants: FairSemaphore;
  /** The share for reads by id, and for reads of the account of an API key or session. */
  readonly lookups: FairSemaphore;
  /** The share for idempotency keys. Commands need no share, because those of one scope run one at a time. */
  readonly commands: FairSemaphore;
}

/**
 * How long a request waits for a free slot, in milliseconds. The wait of the MongoDB driver for a free connection of
 * the pool has the same limit.
 */
const maximumWaitMs = 2000;

/**
 * The number of accounts that can fill the slots for slow reads. Each account has at most a third of the slots, because
 * a slow read occupies its slot until the end.
 */
const ownersOfSlowReads = 3;

/** The number of searches of a process. A search also compares texts, which occupies the thread of the process. */
const maximumSearches = 2;

/**
 * @param poolSize the maximum number of connections. Reads of the process itself use the connections outside of the
 *   shares.
 */
export function createPoolShares(poolSize: number): PoolShares {
  const slotsOf = (fraction: number) => Math.max(1, Math.floor(poolSize * fraction));
  const searches = Math.min(maximumSearches, slotsOf(0.1));
  const [lists, lookups, commands] = [slotsOf(0.2), slotsOf(0.3), slotsOf(0.4)];
  return {
    lists: createFairSemaphore({
      slots: lists,
      slotsOfKey: Math.ceil(lists / ownersOfSlowReads),
      maximumWaitMs,
      overload: 'too many lists are being read at the same time',
      retryAfterSeconds: 1,
    }),
    searches: createFairSemaphore({
      slots: searches,
      slotsOfKey: 1,
      maximumWaitMs,
      overload: 'too many searches are running at the same time',
      retryAfterSeconds: 1,
    }),
    searchesOfTenants: createFairSemaphore({
      slots: Number.POSITIVE_INFINITY,
      slotsOfKey: 1,
      maximumWaitMs,
      overload: 'too many searches are running at the same time',
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
