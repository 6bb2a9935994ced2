import type { Db } from 'mongodb';

import { whileReachable } from './reachable.js';
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
      (await whileReachable(reservations.deleteMany(reservationsOf(accountId)))).deletedCount,
    count: (accountId, limit) =>
      whileReachable(reservations.countDocuments(reservationsOf(accountId), { limit })),
  };
}
