import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { MongoServerError, type Db } from 'mongodb';

import { UnavailableError } from '../errors.js';

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
}

const leaseMs = 10_000;
const waitMs = 5000;
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

  return {
    hold: async (name, work) => {
      const holder = randomUUID();
      const deadline = Date.now() + waitMs;
      let askedAt = Date.now();
      while (!(await take(name, holder))) {
        if (Date.now() >= deadline) {
          throw new UnavailableError('other changes to this account are under way');
        }
        await pause(pollMs);
        askedAt = Date.now();
      }
      const freshUntil = askedAt + leaseMs / 2;
      try {
        return await work({ isFresh: () => Date.now() < freshUntil });
      } finally {
        await leases.deleteOne({ _id: name, holder });
      }
    },
  };
}
