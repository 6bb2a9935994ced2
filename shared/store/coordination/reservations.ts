import { randomUUID } from 'node:crypto';

import { MongoServerError, type Collection, type Db } from 'mongodb';

import type { FairSemaphore } from '../../concurrency/fairSemaphore.js';
import { UnavailableError } from '../../core/errors.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { SecretBox } from '../../security/secretBox.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

/**
 * The reservation of an idempotency key in MongoDB. Writes wait for a majority of servers, so a reservation survives
 * the loss of any one server.
 */
export interface ReservationDocument {
  readonly _id: string;
  readonly bodyHash: string;
  readonly created: Date;
  /** The seed of the ids of all records. A repeated request with the same seed appends the same records. */
  readonly seed: SealedSecret;
  /** The request that holds the idempotency key until `heldUntil`. */
  readonly holder: string;
  readonly heldUntil: Date;
  readonly expiresAt: Date;
  /** The stored answer; missing until the request is answered. */
  readonly answer?: SealedSecret;
}

/** A reservation: an idempotency key that one request alone holds until `heldUntil`. */
export interface Reservation {
  readonly created: Date;
  readonly seed: Buffer;
  /**
   * Whether an earlier request held the idempotency key without an answer, so the log may contain the records of the
   * request.
   */
  readonly isRepeat: boolean;
  /** Stores the answer for later requests with the same idempotency key. */
  complete: (answer: Buffer) => Promise<void>;
  /** Releases the idempotency key, so that the next request takes it at once, with the same seed. */
  release: () => Promise<void>;
  /** Deletes the reservation. `drop` is allowed only if the request has appended no record and will append none. */
  drop: () => Promise<void>;
}

export type Taking =
  | { readonly outcome: 'taken'; readonly reservation: Reservation }
  | { readonly outcome: 'answered'; readonly answer: Buffer }
  | { readonly outcome: 'in-use' }
  | { readonly outcome: 'other-body' };

export interface ReservationRequest {
  /** The name of the reservation, which identifies the idempotency key and its scope. */
  readonly name: string;
  readonly bodyHash: string;
  readonly created: Date;
  /** The seed that is stored if the idempotency key is new. */
  readonly seed: Buffer;
}

export interface Reservations {
  /**
   * Takes an idempotency key for a request. The key is not taken if another request with the key is in progress, was
   * answered, or had another body.
   * @throws UnavailableError if the database is unavailable. After an `UnavailableError`, the request must append no
   *   record.
   */
  take: (request: ReservationRequest) => Promise<Taking>;
}

export interface ReservationTimes {
  /**
   * How long a request blocks other requests with the same idempotency key. `inUseMs` must be longer than any request
   * takes.
   */
  readonly inUseMs: number;
  /** How long an idempotency key is stored. */
  readonly keptMs: number;
}

export const defaultTimes: ReservationTimes = { inUseMs: 60_000, keptMs: 24 * 60 * 60 * 1000 };

export const reservationCollection = 'idempotency';

/**
 * @param digest the hash of the idempotency key and its scope
 * @param lifeId the life of the tenant of the caller, or null. Without it, two tenants with the same idempotency key
 *   would share a response
 */
export function reservationName(accountId: string, digest: string, lifeId: string | null): string {
  return lifeId === null ? `${accountId}/${digest}` : `${accountId}/${lifeId}/${digest}`;
}

/**
 * The filter for all reservations of an account. In ASCII, `0` follows `/`, so the range contains all names that begin
 * with the account's id and a slash.
 */
export function reservationsOf(accountId: string) {
  return { _id: { $gte: `${accountId}/`, $lt: `${accountId}0` } };
}

export const duplicateKey = 11_000;
/**
 * The number of tries to take an idempotency key. If two requests insert the same document, the second request tries
 * again and finds the document.
 */
export const attempts = 3;
/** How long a check of the index is valid, in milliseconds. Emptying MongoDB also drops the index. */
const indexCheckedMs = 60_000;

/** Creates the reservations of idempotency keys, which expire by MongoDB's clock alone. */
export function createReservations(
  database: Db,
  secretBox: SecretBox,
  times: ReservationTimes = defaultTimes,
): Reservations {
  const reservations = database.collection<ReservationDocument>(reservationCollection);
  const ensureIndex = createIndexKeeper(reservations);

  const openFor = (sealed: SealedSecret, name: string): Buffer => {
    const opened = secretBox.open(sealed, name);
    if (opened === null) {
      throw new UnavailableError(
        'no key in POSTRIDER_ENCRYPTION_KEYS decrypts the stored response of this idempotency key',
      );
    }
    return opened;
  };

  const heldBy = (name: string, holder: string) => {
    const mine = { _id: name, holder };
    return {
      complete: async (answer: Buffer) => {
        await mapUnavailableErrors(
          reservations.updateOne(mine, { $set: { answer: secretBox.seal(answer, name) } }),
        );
      },
      release: async () => {
        await mapUnavailableErrors(reservations.updateOne(mine, { $set: { heldUntil: new Date(0) } }));
      },
      drop: async () => {
        await mapUnavailableErrors(reservations.deleteOne(mine));
      },
    };
  };

  return {
    take: async ({ name, bodyHash, created, seed }) => {
      await ensureIndex();
      const holder = randomUUID();
      const sealedSeed = secretBox.seal(seed, name);
      const fresh = { bodyHash, created, seed: sealedSeed };
      const document = await mapUnavailableErrors(
        upsert(reservations, name, takeStage(holder, fresh, times)),
      );
      if (document.holder === holder) {
        const isRepeat = document.seed.sealed !== sealedSeed.sealed;
        const held = { created: document.created, seed: isRepeat ? openFor(document.seed, name) : seed };
        return { outcome: 'taken', reservation: { ...held, isRepeat, ...heldBy(name, holder) } };
      }
      if (document.bodyHash !== bodyHash) {
        return { outcome: 'other-body' };
      }
      return document.answer === undefined
        ? { outcome: 'in-use' }
        : { outcome: 'answered', answer: openFor(document.answer, name) };
    },
  };
}

/**
 * ```
 *              take                    complete
 *   (none) ───────────► held ──────────────────────► answered ──► (none) once it expires
 *     ▲                  │ ▲
 *     └────── drop ──────┤ │ take, by a request with the same body
 *                        ▼ │
 *                    abandoned: released, or held for too long
 * ```
 */
export function takeStage(
  holder: string,
  fresh: Pick<ReservationDocument, 'bodyHash' | 'created' | 'seed'>,
  { inUseMs, keptMs }: ReservationTimes,
) {
  const never = new Date(0);
  const isNew = { $lte: [{ $ifNull: ['$expiresAt', never] }, '$$NOW'] };
  const isAbandoned = {
    $and: [
      { $eq: [{ $type: '$answer' }, 'missing'] },
      { $eq: ['$bodyHash', fresh.bodyHash] },
      { $lte: ['$heldUntil', '$$NOW'] },
    ],
  };
  const ifNew = (value: unknown, otherwise: string) => ({ $cond: [isNew, value, otherwise] });
  const ifTaken = (value: unknown, otherwise: string) => ({
    $cond: [{ $or: [isNew, isAbandoned] }, value, otherwise],
  });
  return {
    bodyHash: ifNew(fresh.bodyHash, '$bodyHash'),
    created: ifNew(fresh.created, '$created'),
    seed: ifNew({ $literal: fresh.seed }, '$seed'),
    answer: ifNew('$$REMOVE', '$answer'),
    expiresAt: ifNew({ $add: ['$$NOW', keptMs] }, '$expiresAt'),
    holder: ifTaken(holder, '$holder'),
    heldUntil: ifTaken({ $add: ['$$NOW', inUseMs] }, '$heldUntil'),
  };
}

async function upsert(
  reservations: Collection<ReservationDocument>,
  name: string,
  stage: ReturnType<typeof takeStage>,
): Promise<ReservationDocument> {
  const options = { upsert: true, returnDocument: 'after' } as const;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      const document = await reservations.findOneAndUpdate({ _id: name }, [{ $set: stage }], options);
      if (document !== null) {
        return document;
      }
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === duplicateKey)) {
        throw error;
      }
    }
  }
  throw new UnavailableError('too many requests with this idempotency key were sent at the same time');
}

/** Reservations that use only their account's share of MongoDB's connections. */
export function shareReservations(reservations: Reservations, commands: FairSemaphore): Reservations {
  return {
    take: async (request) => {
      const accountId = request.name.slice(0, request.name.indexOf('/'));
      const run = <Result>(work: () => Promise<Result>) => commands.run(accountId, work);
      const taking = await run(() => reservations.take(request));
      if (taking.outcome !== 'taken') {
        return taking;
      }
      const { complete, release, drop, ...reservation } = taking.reservation;
      return {
        outcome: 'taken',
        reservation: {
          ...reservation,
          complete: (answer) => run(() => complete(answer)),
          release: () => run(release),
          drop: () => run(drop),
        },
      };
    },
  };
}

/** Ensures, once a minute, the index with which MongoDB deletes expired reservations. */
export function createIndexKeeper(reservations: Collection<ReservationDocument>): () => Promise<void> {
  let checked: { readonly done: Promise<unknown>; readonly until: number } | null = null;
  return async () => {
    const now = performance.now();
    if (checked === null || checked.until <= now) {
      const done = reservations.createIndexes([{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }]);
      checked = { done, until: now + indexCheckedMs };
      done.catch(() => {
        checked = null;
      });
    }
    await mapUnavailableErrors(checked.done);
  };
}
