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
  count: (accountId: string, limit: number) => Promise<number>;
}

export function createAccountReservations(database: Db): AccountReservations {
  const reservations = database.collection<ReservationDocument>(reservationCollection);
  return {
    removeAll: async (accountId) =>
      (await mapUnavailableErrors(reservations.deleteMany(reservationsOf(accountId)))).deletedCount,
    count: (accountId, limit) =>
      mapUnavailableErrors(reservations.countDocuments(reservationsOf(accountId), { limit })),
  };
}
