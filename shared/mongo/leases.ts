import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { MongoServerError, type Db } from 'mongodb';

import { UnavailableError } from '../errors.js';
import { whileReachable } from './reachable.js';

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

export interface Lease {
  /** Whether more than half of the lease is left: with less, nothing may be decided under it any more. */
  isFresh: () => boolean;
}

export interface Leases {
  /**
   * Runs `work` while no other process runs any under the same name.
   * @throws UnavailableError where the lease could not be had in time
   */
  hold: <Result>(name: string, work: (lease: Lease) => Promise<Result>) => Promise<Result>;
  /**
   * Runs `work` unless another process holds the name now: for what any one of them may do. Work that takes longer than a lease
   * may be begun by another one meanwhile.
   * @returns whether it was run
   */
  holdIfFree: (name: string, work: () => Promise<void>) => Promise<boolean>;
}

const leaseMs = 10_000;
/** Longer than a lease: a process that died with one is outlived. */
const waitMs = 15_000;
const pollMs = 10;
const duplicateKey = 11_000;

/**
 * Leases that end by themselves, counted by the database's clock alone. A holder whose process stood still for longer
 * than its lease does not know that it has lost it: hence `isFresh`, by a clock that was started before the request.
 */
export function createLeases(database: Db): Leases {
  const leases = database.collection<LeaseDocument>('leases');

  const take = async (name: string, holder: string): Promise<boolean> => {
    const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
    const taken = {
      holder: { $cond: [isFree, holder, '$holder'] },
      until: { $cond: [isFree, { $add: ['$$NOW', leaseMs] }, '$until'] },
    };
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      return (await leases.findOneAndUpdate({ _id: name }, [{ $set: taken }], options))?.holder === holder;
    } catch (error) {
      // Two processes made the document at once, and the other one was first.
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return false;
      }
      throw error;
    }
  };

  /** Takes a lease, and gives the time before which it did not begin. */
  const takeUntil = async (name: string, holder: string, deadline: number): Promise<number> => {
    for (let askedAt = Date.now(); askedAt < deadline; askedAt = Date.now()) {
      if (await whileReachable(take(name, holder))) {
        return askedAt;
      }
      await pause(pollMs);
    }
    throw new UnavailableError('other changes to this account are under way');
  };

  const holdAlone = async <Result>(
    name: string,
    deadline: number,
    work: (lease: Lease) => Promise<Result>,
  ) => {
    const holder = randomUUID();
    const freshUntil = (await takeUntil(name, holder, deadline)) + leaseMs / 2;
    try {
      return await work({ isFresh: () => Date.now() < freshUntil });
    } finally {
      // Where this fails the lease ends by itself; the work is done all the same.
      await leases.deleteOne({ _id: name, holder }).catch(() => undefined);
    }
  };

  /** The last of this process in each line. Only the first of a line asks the database: a hundred that poll it starve it. */
  const lines = new Map<string, Promise<unknown>>();

  return {
    hold: (name, work) => {
      const deadline = Date.now() + waitMs;
      const held = (lines.get(name) ?? Promise.resolve()).then(() => holdAlone(name, deadline, work));
      const last = held
        .catch(() => undefined)
        .finally(() => {
          if (lines.get(name) === last) {
            lines.delete(name);
          }
        });
      lines.set(name, last);
      return held;
    },
    holdIfFree: async (name, work) => {
      const holder = randomUUID();
      if (!(await whileReachable(take(name, holder)))) {
        return false;
      }
      try {
        await work();
      } finally {
        await leases.deleteOne({ _id: name, holder }).catch(() => undefined);
      }
      return true;
    },
  };
}
