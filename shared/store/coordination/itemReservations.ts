import { randomUUID } from 'node:crypto';

import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb';

import type { FairSemaphore } from '../../concurrency/fairSemaphore.js';
import { UnavailableError } from '../../core/errors.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { SecretBox } from '../../security/secretBox.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import {
  attempts,
  createIndexKeeper,
  defaultTimes,
  duplicateKey,
  reservationCollection,
  takeStage,
  type ReservationDocument,
  type ReservationRequest,
  type ReservationTimes,
} from './reservations.js';

/** The time and the seed from which the ids of an item derive. */
export interface ItemOrigin {
  readonly created: Date;
  readonly seed: Buffer;
}

export type ItemClaim =
  /** The items of this batch have the key, and must append their record. */
  | { readonly outcome: 'taken'; readonly origin: ItemOrigin }
  /** An earlier request has appended the record of the item. */
  | { readonly outcome: 'accepted'; readonly origin: ItemOrigin; readonly answer: Buffer }
  | { readonly outcome: 'in-use' }
  | { readonly outcome: 'other-body' };

/** The idempotency keys of a batch, after the batch has tried to take them. */
export interface ItemClaims {
  /**
   * The claim of an item on its key.
   * @throws UnavailableError if no encryption key decrypts the seed of the reservation
   */
  readonly of: (request: Pick<ReservationRequest, 'name' | 'bodyHash'>) => ItemClaim;
  /**
   * Marks the items with these names as accepted. Later requests with the same keys append nothing.
   * @param answer the part of the answer that does not follow from the seed and the request
   */
  readonly complete: (names: readonly string[], answer: Buffer) => Promise<void>;
  /** Releases these keys, so that the next request takes them at once, with the same seeds. */
  readonly release: (names: readonly string[]) => Promise<void>;
  /** Deletes the reservations. It is allowed only if no request has appended a record of the items, and none will. */
  readonly drop: (names: readonly string[]) => Promise<void>;
}

/** Reservations of the idempotency keys of many items, with one write for all of them. */
export interface ItemReservations {
  /**
   * Takes the keys of all items that no other request has.
   * @param requests one request for each name
   * @throws UnavailableError if the database is unavailable. After an `UnavailableError`, no record of the items may be
   *   appended.
   */
  readonly take: (accountId: string, requests: readonly ReservationRequest[]) => Promise<ItemClaims>;
}

/** @param commands the share of MongoDB's connections for idempotency keys */
export function createItemReservations(
  database: Db,
  secretBox: SecretBox,
  commands: FairSemaphore,
  times: ReservationTimes = defaultTimes,
): ItemReservations {
  const reservations = database.collection<ReservationDocument>(reservationCollection);
  const ensureIndex = createIndexKeeper(reservations);

  const open = (sealed: SealedSecret, context: string): Buffer => {
    const opened = secretBox.open(sealed, context);
    if (opened === null) {
      throw new UnavailableError(
        'no key in POSTRIDER_ENCRYPTION_KEYS decrypts the reservation of this idempotency key',
      );
    }
    return opened;
  };

  const originOf = ({ _id, created, seed }: ReservationDocument): ItemOrigin => ({
    created,
    seed: open(seed, _id),
  });

  const claimOf = (
    document: ReservationDocument | undefined,
    bodyHash: string,
    { holder, accountId }: { readonly holder: string; readonly accountId: string },
  ): ItemClaim => {
    if (document === undefined) {
      return { outcome: 'in-use' };
    }
    if (document.bodyHash !== bodyHash) {
      return { outcome: 'other-body' };
    }
    if (document.answer !== undefined) {
      return { outcome: 'accepted', origin: originOf(document), answer: open(document.answer, accountId) };
    }
    return document.holder === holder
      ? { outcome: 'taken', origin: originOf(document) }
      : { outcome: 'in-use' };
  };

  const takeAll = async (holder: string, requests: readonly ReservationRequest[]) => {
    await ensureIndex();
    const operations = requests.map(({ name, bodyHash, created, seed }) => {
      const fresh = { bodyHash, created, seed: secretBox.seal(seed, name) };
      return {
        updateOne: {
          filter: { _id: name },
          update: [{ $set: takeStage(holder, fresh, times) }],
          upsert: true,
        },
      };
    });
    await mapUnavailableErrors(upsertAll(reservations, operations));
    const names = requests.map(({ name }) => name);
    return mapUnavailableErrors(reservations.find({ _id: { $in: names } }).toArray());
  };

  return {
    take: async (accountId, requests) => {
      const holder = randomUUID();
      const documents = await commands.run(accountId, () => takeAll(holder, requests));
      const byName = new Map(documents.map((document) => [document._id, document]));
      const change = async (names: readonly string[], fields: Partial<ReservationDocument>) => {
        if (names.length > 0) {
          const mine = { _id: { $in: [...names] }, holder };
          await commands.run(accountId, () =>
            mapUnavailableErrors(reservations.updateMany(mine, { $set: fields })),
          );
        }
      };
      return {
        of: ({ name, bodyHash }) => claimOf(byName.get(name), bodyHash, { holder, accountId }),
        complete: (names, answer) => change(names, { answer: secretBox.seal(answer, accountId) }),
        release: (names) => change(names, { heldUntil: new Date(0) }),
        drop: async (names) => {
          if (names.length > 0) {
            const mine = { _id: { $in: [...names] }, holder };
            await commands.run(accountId, () => mapUnavailableErrors(reservations.deleteMany(mine)));
          }
        },
      };
    },
  };
}

/**
 * Executes all upserts. If another request inserts the same document, its upsert is repeated and finds the document. A
 * document that is never found counts as in use.
 */
async function upsertAll(
  reservations: Collection<ReservationDocument>,
  operations: readonly AnyBulkWriteOperation<ReservationDocument>[],
): Promise<void> {
  let open = operations;
  for (let attempt = 1; attempt <= attempts && open.length > 0; attempt += 1) {
    try {
      await reservations.bulkWrite([...open], { ordered: false });
      return;
    } catch (error) {
      open = repeatable(error, open);
    }
  }
}

/** @throws the error, unless all of its failures are duplicate documents */
function repeatable<Operation>(error: unknown, operations: readonly Operation[]): readonly Operation[] {
  if (!(error instanceof MongoBulkWriteError)) {
    throw error;
  }
  const failures = [error.writeErrors].flat();
  if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) {
    throw error;
  }
  return failures.flatMap(({ index }) => operations.slice(index, index + 1));
}
