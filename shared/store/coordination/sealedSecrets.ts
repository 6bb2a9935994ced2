import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { reservationCollection, type ReservationDocument } from './reservations.js';

/**
 * What finds webhooks with a secret that still signs and is sealed with none of these keys. Deleted webhooks have no secrets,
 * and one that has expired is opened by nobody.
 */
export function sealedWithNoneOf(keyIds: readonly string[], now: Date): Document {
  return {
    secrets: {
      $elemMatch: {
        'secret.key': { $nin: [...keyIds] },
        $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
      },
    },
  };
}

/** What finds data keys of accounts that are sealed with none of these keys. One that was destroyed is sealed with nothing. */
export function accountKeysSealedWithNoneOf(keyIds: readonly string[]): Document {
  return { 'key.key': { $exists: true, $nin: [...keyIds] } };
}

/**
 * Until when answers to requests with an idempotency key are kept that another key than this one has sealed; null where there
 * are none.
 * @throws UnavailableError where the database is away
 */
export async function answersKeptUntil(database: Db, keyId: string, now: Date): Promise<Date | null> {
  const reservations = database.collection<ReservationDocument>(reservationCollection);
  const another = { $exists: true, $ne: keyId };
  const newest = reservations.findOne(
    { expiresAt: { $gt: now }, $or: [{ 'seed.key': another }, { 'answer.key': another }] },
    { sort: { expiresAt: -1 }, projection: { expiresAt: 1 } },
  );
  return (await mapUnavailableErrors(newest))?.expiresAt ?? null;
}
