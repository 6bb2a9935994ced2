import type { Db } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

/** The lease of a floor, while its holder appends the fences. */
interface HeldLease {
  readonly number: number;
  /** The end of the lease by `performance.now()`. */
  readonly deadline: number;
}

/** Runs work while this process has the lease with the name. */
type HoldLease = (name: string, work: (lease: HeldLease) => Promise<number>) => Promise<number>;

/** The request of the floor of an account. */
export interface FloorRequest {
  readonly name: string;
  /** Appends the fences of the floor to all partitions of all topics of tenants. */
  readonly fence: (lease: HeldLease) => Promise<void>;
}

export interface Floors {
  /**
   * Returns the number of a floor. If the floor is missing, the call makes it first.
   * @throws UnavailableError if the floor cannot be read or made in time
   */
  ensure: (request: FloorRequest) => Promise<number>;
}

interface FloorDocument {
  readonly _id: string;
  readonly number: number;
  /** The number of the lease whose holder has appended the floor's fences. */
  readonly floor?: number;
}

/**
 * Creates the floors of the tenants of accounts. After MongoDB was emptied, a record of an earlier holder of any lease of
 * a tenant may still arrive. After the floor, such a record has no effect, because its number is lower. Every later
 * holder has a higher number. The floor saves fences for each tenant. No process caches floors, because MongoDB may be
 * emptied at any time.
 */
export function createFloors(database: Db, hold: HoldLease): Floors {
  const floors = database.collection<FloorDocument>('leases');

  const read = async (name: string): Promise<number | null> =>
    (await mapUnavailableErrors(floors.findOne({ _id: name })))?.floor ?? null;

  const make = async ({ name, fence }: FloorRequest, { number, deadline }: HeldLease): Promise<number> => {
    const made = await read(name);
    if (made !== null) {
      return made;
    }
    // The index with which MongoDB removes the documents of released leases of tenants.
    await mapUnavailableErrors(floors.createIndexes([{ key: { forgetAt: 1 }, expireAfterSeconds: 0 }]));
    await fence({ number, deadline });
    const stored = floors.updateOne({ _id: name, number }, { $set: { floor: number } });
    if ((await mapUnavailableErrors(stored)).matchedCount === 0) {
      throw new UnavailableError('the fences of the tenants of the account took too long');
    }
    return number;
  };

  return {
    ensure: async (request) =>
      (await read(request.name)) ?? hold(request.name, (lease) => make(request, lease)),
  };
}
