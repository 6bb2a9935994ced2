import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { webhookIndexes, type IndexKey } from '../models/indexes.js';
import { reservationCollection, type ReservationDocument } from './reservations.js';

/** A search for webhooks, and the index that serves it. */
interface WebhookSearch {
  readonly filter: Document;
  readonly index: IndexKey;
}

/**
 * The searches for webhooks with a valid signing secret, or with a credential, that none of the given encryption keys has
 * sealed. Deleted webhooks have neither, and no process opens an expired signing secret.
 */
export function webhooksSealedWithNoneOf(keyIds: readonly string[], now: Date): readonly WebhookSearch[] {
  const another = { $nin: [...keyIds] };
  const valid = [{ expiresAt: null }, { expiresAt: { $gt: now } }];
  return [
    {
      filter: { secrets: { $elemMatch: { 'secret.key': another, $or: valid } } },
      index: webhookIndexes.bySecretKey.key,
    },
    {
      filter: { credentials: { $exists: true, $elemMatch: { 'value.key': another } } },
      index: webhookIndexes.byCredentialKey.key,
    },
  ];
}

/**
 * The filter for data keys of accounts that none of the given encryption keys has sealed. A destroyed data key has no
 * value.
 */
export function accountKeysSealedWithNoneOf(keyIds: readonly string[]): Document {
  return { 'key.key': { $exists: true, $nin: [...keyIds] } };
}

/**
 * When the last stored answer of an idempotency key expires that an encryption key other than `keyId` has sealed. The
 * result is null if no such answer is stored.
 * @throws UnavailableError if the database is unavailable
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
