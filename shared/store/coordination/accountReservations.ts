import type { Db } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { reservationCollection, reservationsOf, type ReservationDocument } from './reservations.js';

/** The idempotency keys of an account, which are removed when the account is deleted. */
export interface AccountReservations {
  /**
   * Removes all idempotency keys of an account.
   * @returns the number of removed keys
   * @throws UnavailableError if the database is unavailable
   */
  removeAll: (accountId: string) => Promise<number>;
  /**
   * Removes the idempotency keys of a life of a tenant.
   * @throws UnavailableError if the database is unavailable
   */
  removeLife: (accountId: string, lifeId: string) => Promise<void>;
  count: (accountId: string, limit: number) => Promise<number>;
}

export function createAccountReservations(database: Db): AccountReservations {
  const reservations = database.collection<ReservationDocument>(reservationCollection);
  return {
    removeAll: async (accountId) =>
      (await mapUnavailableErrors(reservations.deleteMany(reservationsOf(accountId)))).deletedCount,
    removeLife: async (accountId, lifeId) => {
      // A life id contains no slash, so the names of a life begin like those of an account.
      await mapUnavailableErrors(reservations.deleteMany(reservationsOf(`${accountId}/${lifeId}`)));
    },
    count: (accountId, limit) =>
      mapUnavailableErrors(reservations.countDocuments(reservationsOf(accountId), { limit })),
  };
}
