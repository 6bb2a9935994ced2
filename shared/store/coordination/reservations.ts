import { randomUUID } from 'node:crypto';

import { MongoServerError, type Collection, type Db } from 'mongodb';

import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import { UnavailableError } from '../../core/errors.js';
import type { FairSemaphore } from '../../concurrency/fairSemaphore.js';
import type { SecretBox } from '../../security/secretBox.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

/** A document for each idempotency key, all under majority writes: what was reserved survives the loss of any one server. */
export interface ReservationDocument {
  readonly _id: string;
  readonly bodyHash: string;
  readonly created: Date;
  /** All that the records need, so that whoever takes over appends the same ones. */
  readonly seed: SealedSecret;
  /** Which request runs, and until when no other one may. */
  readonly holder: string;
  readonly heldUntil: Date;
  readonly expiresAt: Date;
  /** Missing until there is one. */
  readonly answer?: SealedSecret;
}

/** A key that is this request's alone until `heldUntil`. */
export interface Reservation {
  readonly created: Date;
  readonly seed: Buffer;
  /** Whether another request held it before and came to no answer: its records may stand in the log. */
  readonly isRepeat: boolean;
  /** Keeps the answer for those who come later. */
  complete: (answer: Buffer) => Promise<void>;
  /** Lets the next request take over at once, with the same seed. */
  release: () => Promise<void>;
  /** Forgets the key: only where nothing was, or ever will be, appended under it. */
  drop: () => Promise<void>;
}

export type Taking =
  | { readonly outcome: 'taken'; readonly reservation: Reservation }
  | { readonly outcome: 'answered'; readonly answer: Buffer }
  | { readonly outcome: 'in-use' }
  | { readonly outcome: 'other-body' };

export interface ReservationRequest {
  /** Stands for the key and all that it belongs to. */
  readonly name: string;
  readonly bodyHash: string;
  readonly created: Date;
  /** Used where the key is new. */
  readonly seed: Buffer;
}

export interface Reservations {
  /**
   * Takes a key for a request, unless another one has it, has been answered, or had another body.
   * @throws UnavailableError where the database is away: nothing may be appended then
   */
  take: (request: ReservationRequest) => Promise<Taking>;
}

export interface ReservationTimes {
  /** How long a request keeps others from the same work: longer than any request may take. */
  readonly inUseMs: number;
  /** How long a key is remembered. */
  readonly keptMs: number;
}

const defaultTimes: ReservationTimes = { inUseMs: 60_000, keptMs: 24 * 60 * 60 * 1000 };

export const reservationCollection = 'idempotency';

/** @param digest stands for the key and all that it belongs to */
export function reservationName(accountId: string, digest: string): string {
  return `${accountId}/${digest}`;
}

/** What finds all names of an account: behind a slash comes 0 in the order of ASCII. */
export function reservationsOf(accountId: string) {
  return { _id: { $gte: `${accountId}/`, $lt: `${accountId}0` } };
}

const duplicateKey = 11_000;
/** Two requests that make the document at once: the second finds it there. */
const attempts = 3;
/** Whoever empties the database drops the index too. */
const indexCheckedMs = 60_000;

/** The keys of requests that are answered once, by the database's clock alone. */
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
      throw new UnavailableError('no encryption key opens what is stored for this idempotency key');
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
        upsert(reservations, name, takingStage(holder, fresh, times)),
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
function takingStage(
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
  const whereNew = (value: unknown, otherwise: string) => ({ $cond: [isNew, value, otherwise] });
  const whereTaken = (value: unknown, otherwise: string) => ({
    $cond: [{ $or: [isNew, isAbandoned] }, value, otherwise],
  });
  return {
    bodyHash: whereNew(fresh.bodyHash, '$bodyHash'),
    created: whereNew(fresh.created, '$created'),
    seed: whereNew({ $literal: fresh.seed }, '$seed'),
    answer: whereNew('$$REMOVE', '$answer'),
    expiresAt: whereNew({ $add: ['$$NOW', keptMs] }, '$expiresAt'),
    holder: whereTaken(holder, '$holder'),
    heldUntil: whereTaken({ $add: ['$$NOW', inUseMs] }, '$heldUntil'),
  };
}

async function upsert(
  reservations: Collection<ReservationDocument>,
  name: string,
  stage: ReturnType<typeof takingStage>,
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
  throw new UnavailableError('too many requests with this idempotency key at once');
}

/** The same reservations, each within its account's share of the database's connections. */
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

/** Makes sure, once a minute, of the index by which the database deletes what has expired. */
function createIndexKeeper(reservations: Collection<ReservationDocument>): () => Promise<void> {
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
