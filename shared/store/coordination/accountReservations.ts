import type { Db } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { reservationCollection, reservationsOf, type ReservationDocument } from './reservations.js';

/** The idempotency keys of an account, for the day on which it is deleted. */
export interface AccountReservations {
  /**
   * @returns how many there were
   * @throws UnavailableError where the database is away
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
