import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from '../../shared/clock.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import { freshIdentity, secretLength, seededIdentity, type Identity } from '../../shared/domain/identity.js';
import { messageOf, UnavailableError } from '../../shared/errors.js';
import { inTime } from '../../shared/inTime.js';
import type { Logger } from '../../shared/logger.js';
import { reservationName, type Reservation, type Reservations } from '../../shared/mongo/reservations.js';
import type { Reply } from '../answer.js';
import type { Caller } from '../caller.js';
import type { JsonBody } from '../context.js';
import { errorCodes } from '../errorCodes.js';
import { isRefusal, refusal } from '../refusal.js';
import { readIdempotencyKey } from './idempotencyKey.js';
import { encodeReply, replayedReply } from './storedReply.js';

/** The rest of a request, once all about it that can be told without the stored state was found to be right. */
export type Make = (identity: Identity) => Promise<Reply>;

/** A request of which only the key that it came with is not known yet. */
export interface OnceRequest {
  readonly route: { readonly method: string; readonly path: string };
  /** The `{id}` of its path. */
  readonly id: string;
  readonly message: Pick<IncomingMessage, 'headers' | 'headersDistinct'>;
  readonly body: JsonBody | null;
}

/** The account and mode that an idempotency key belongs to. */
type KeyOwner = Pick<Caller, 'accountId' | 'mode'>;

/** Runs the rest of a request: once for all requests with one idempotency key. */
export type Once = (caller: KeyOwner, make: Make) => Promise<Reply>;

export interface OnceDependencies {
  readonly reservations: Reservations;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly logger: Logger;
}

const header = 'idempotency-key';
/** What the answer waits for its storage: the change is made, and a client must not wait long to hear of it. */
const settleMs = 5000;
const settlePauseMs = 100;
/** Beside successes, what the stored state has refused. Whatever else is refused was wrong in the request, or passes. */
const storedRefusals: readonly number[] = [404, 409];

/**
 * How each request runs. Without the header it is run as it comes. With it a reservation stands before anything is appended, so that
 * a repeat finds the answer, or, where there is none, what it takes to append the same records again.
 */
export function createOnce(dependencies: OnceDependencies): (request: OnceRequest) => Once {
  const { reservations, clock, identifiers, randomBytes, logger } = dependencies;

  /**
   * Stores what became of a reservation, and tries again while the database is unavailable: otherwise each repeat gets 409 until the
   * reservation expires. The reply is valid in any case.
   */
  const settle = async (name: string, store: () => Promise<void>) => {
    const deadline = performance.now() + settleMs;
    for (;;) {
      try {
        await inTime(store(), deadline - performance.now(), 'the database does not answer');
        return;
      } catch (error) {
        if (!(error instanceof UnavailableError) || performance.now() + settlePauseMs >= deadline) {
          logger.warn({ reservation: name, error: messageOf(error) }, 'an idempotency key stays reserved');
          return;
        }
      }
      await pause(settlePauseMs);
    }
  };

  const runReserved = async (name: string, reservation: Reservation, make: Make): Promise<Reply> => {
    const { isRepeat } = reservation;
    let reply: Reply;
    try {
      reply = await make(seededIdentity(reservation));
    } catch (error) {
      await settle(name, reservation.release);
      throw error;
    }
    if (isStored(reply, isRepeat)) {
      await settle(name, () => reservation.complete(encodeReply(reply)));
    } else {
      // What an earlier request has appended must not be appended by a later one under another identity.
      await settle(name, isRepeat ? reservation.release : reservation.drop);
    }
    return reply;
  };

  const runKeyed = async (request: OnceRequest, caller: KeyOwner, make: Make): Promise<Reply> => {
    const key = readIdempotencyKey(request.message.headersDistinct[header] ?? []);
    if (typeof key !== 'string') {
      return key;
    }
    const name = nameOf(request, caller, key);
    const taking = await reservations.take({
      name,
      bodyHash: sha256(request.body?.bytes ?? ''),
      created: clock(),
      seed: randomBytes(secretLength),
    });
    switch (taking.outcome) {
      case 'taken':
        return runReserved(name, taking.reservation, make);
      case 'answered':
        return replayedReply(taking.answer);
      case 'in-use':
        return keyInUse;
      case 'other-body':
        return keyReused;
    }
  };

  return (request) =>
    request.route.method === 'POST' && request.message.headers[header] !== undefined
      ? (caller, make) => runKeyed(request, caller, make)
      : (_caller, make) => make(freshIdentity(clock(), identifiers, randomBytes));
}

/** A key belongs to an account, a mode and a path: the route and the id in it, since one path can be written in several ways. */
function nameOf({ route, id }: OnceRequest, { accountId, mode }: KeyOwner, key: string): string {
  return reservationName(accountId, sha256(JSON.stringify([mode, route.path, id, key])));
}

function isStored(reply: Reply, isRepeat: boolean): boolean {
  return !isRefusal(reply) || (!isRepeat && storedRefusals.includes(errorCodes[reply.refused].status));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

const keyInUse = refusal(
  'idempotency_key_in_use',
  'A request with this Idempotency-Key is still running. Try again in a moment.',
);
const keyReused = refusal(
  'idempotency_key_reused',
  'This Idempotency-Key came with another body before. Use a new key for a new request.',
);
