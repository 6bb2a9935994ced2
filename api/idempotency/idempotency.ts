import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { freshIdentity, secretLength, seededIdentity } from '../../shared/domain/core/identity.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import type { Logger } from '../../shared/core/logger.js';
import {
  reservationName,
  type Reservation,
  type Reservations,
} from '../../shared/store/coordination/reservations.js';
import type { Reply } from '../http/answer.js';
import type { CreateReply, Idempotency, IdempotentRequest, KeyOwner } from '../http/route.js';
import { errorCodes } from '../http/errorCodes.js';
import { isApiError, apiError, type ApiError } from '../http/apiError.js';
import { encodeReply, replayedReply } from './storedReply.js';

export interface IdempotencyDependencies {
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
export function createIdempotency(
  dependencies: IdempotencyDependencies,
): (request: IdempotentRequest) => Idempotency {
  const { reservations, clock, identifiers, randomBytes, logger } = dependencies;

  /**
   * Stores what became of a reservation, and tries again while the database is unavailable: otherwise each repeat gets 409 until the
   * reservation expires. The reply is valid in any case.
   */
  const settle = async (name: string, store: () => Promise<void>) => {
    const deadline = performance.now() + settleMs;
    for (;;) {
      try {
        await withTimeout(store(), deadline - performance.now(), 'the database does not answer');
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

  const runReserved = async (name: string, reservation: Reservation, make: CreateReply): Promise<Reply> => {
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

  const runKeyed = async (
    request: IdempotentRequest,
    caller: KeyOwner,
    make: CreateReply,
  ): Promise<Reply> => {
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
function nameOf({ route, id }: IdempotentRequest, { accountId, mode }: KeyOwner, key: string): string {
  return reservationName(accountId, sha256(JSON.stringify([mode, route.path, id, key])));
}

function isStored(reply: Reply, isRepeat: boolean): boolean {
  return !isApiError(reply) || (!isRepeat && storedRefusals.includes(errorCodes[reply.refused].status));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

const keyInUse = apiError(
  'idempotency_key_in_use',
  'A request with this Idempotency-Key is still running. Try again in a moment.',
);
const keyReused = apiError(
  'idempotency_key_reused',
  'This Idempotency-Key came with another body before. Use a new key for a new request.',
);

const printable = /^[ -~]{1,255}$/;
/** A string of RFC 8941 section 3.3.3, as draft-ietf-httpapi-idempotency-key-header asks for: a backslash stands before a quote or another one. */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const escaped = /\\(["\\])/g;

/**
 * The idempotency key of a request. A quoted string and the bare text of the same characters are the same key.
 * @param values what each `Idempotency-Key` header of the request says
 */
export function readIdempotencyKey(values: readonly string[]): string | ApiError {
  const [value = '', ...others] = values;
  const key = value.startsWith('"') ? unquoted(value) : value;
  return others.length === 0 && printable.test(key) ? key : invalidKey;
}

/** The text of a quoted string; nothing where it is none. */
function unquoted(value: string): string {
  return quotedString.exec(value)?.[1]?.replace(escaped, '$1') ?? '';
}

const invalidKey = apiError(
  'idempotency_key_invalid',
  'Send one Idempotency-Key of 1 to 255 printable ASCII characters, such as a UUID, with or without quotes.',
);
