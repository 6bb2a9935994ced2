import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import type { Clock } from '../../shared/core/clock.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { freshIdentity, secretLength, seededIdentity } from '../../shared/domain/core/requestIdentity.js';
import {
  reservationName,
  type Reservation,
  type Reservations,
} from '../../shared/store/coordination/reservations.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import { errorCodes } from '../http/errorCodes.js';
import type { HandlerResult } from '../http/response.js';
import type { Idempotency, IdempotentRequest, KeyOwner, RunHandler } from '../http/route.js';
import { decodeReplayedResult, encodeResult } from './storedResponse.js';

export interface IdempotencyDependencies {
  readonly reservations: Reservations;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly logger: Logger;
}

const header = 'idempotency-key';
/**
 * The longest time that a response waits until its result is stored. The change is complete by then, and the client is
 * waiting.
 */
const storeTimeoutMs = 5000;
const storeRetryMs = 100;
/**
 * The statuses of errors that follow from the stored state. Errors of other statuses are temporary, or caused by the
 * request itself.
 */
const storedErrorStatuses: readonly number[] = [404, 409];

/**
 * Idempotent execution of requests.
 *
 * A request without the header `Idempotency-Key` runs directly. A request with that header gets a reservation before it
 * appends a record. A repeated request with the same key finds the stored result. If no result is stored, the
 * reservation contains the seed with which the repeated request appends the same records again.
 */
export function createIdempotency(dependencies: IdempotencyDependencies): Idempotency {
  const { reservations, clock, identifiers, randomBytes, logger } = dependencies;

  /**
   * Retries the storage of a result while the database is unavailable. If the result is not stored, each repeated
   * request gets 409 until the reservation expires. A change is valid even if its result is not stored.
   */
  const retryStore = async (name: string, store: () => Promise<void>) => {
    const deadline = performance.now() + storeTimeoutMs;
    for (;;) {
      try {
        await withTimeout(store(), deadline - performance.now(), 'MongoDB does not respond');
        return;
      } catch (error) {
        if (!(error instanceof UnavailableError) || performance.now() + storeRetryMs >= deadline) {
          const fields = { reservation: name, error: messageOf(error) };
          logger.warn(fields, 'the result of an idempotency key cannot be stored');
          return;
        }
      }
      await pause(storeRetryMs);
    }
  };

  const runReserved = async (
    name: string,
    reservation: Reservation,
    handle: RunHandler,
  ): Promise<HandlerResult> => {
    const { isRepeat } = reservation;
    let result: HandlerResult;
    try {
      result = await handle(seededIdentity(reservation));
    } catch (error) {
      await retryStore(name, reservation.release);
      throw error;
    }
    if (isStored(result, isRepeat)) {
      await retryStore(name, () => reservation.complete(encodeResult(result)));
    } else {
      // An earlier request with the same key may have appended records. A later request must not append the same
      // records under another identity.
      await retryStore(name, isRepeat ? reservation.release : reservation.drop);
    }
    return result;
  };

  const runKeyed = async (
    request: IdempotentRequest,
    owner: KeyOwner,
    handle: RunHandler,
  ): Promise<HandlerResult> => {
    const key = readIdempotencyKey(request.message.headersDistinct[header] ?? []);
    if (typeof key !== 'string') {
      return key;
    }
    const name = nameOf(request, owner, key);
    const claim = await reservations.take({
      name,
      bodyHash: sha256(request.body?.bytes ?? ''),
      created: clock(),
      seed: randomBytes(secretLength),
    });
    switch (claim.outcome) {
      case 'taken':
        return runReserved(name, claim.reservation, handle);
      case 'answered':
        return decodeReplayedResult(claim.answer);
      case 'in-use':
        return keyInUse;
      case 'other-body':
        return keyReused;
    }
  };

  return {
    run: (request, owner, handle) =>
      request.route.method === 'POST' && request.message.headers[header] !== undefined
        ? runKeyed(request, owner, handle)
        : handle(freshIdentity(clock(), identifiers, randomBytes)),
  };
}

/**
 * The name of a reservation. The name contains the route and the id instead of the path, because one path has several
 * spellings.
 */
function nameOf({ route, id }: IdempotentRequest, { accountId, mode }: KeyOwner, key: string): string {
  return reservationName(accountId, sha256(JSON.stringify([mode, route.path, id, key])));
}

function isStored(result: HandlerResult, isRepeat: boolean): boolean {
  return (
    !isApiError(result) || (!isRepeat && storedErrorStatuses.includes(errorCodes[result.errorCode].status))
  );
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

const keyInUse = apiError(
  'idempotency_key_in_use',
  'A request with the same Idempotency-Key is in progress. Retry the request in a second.',
);
const keyReused = apiError(
  'idempotency_key_reused',
  'The same Idempotency-Key was already sent with another body. Use a new Idempotency-Key for each ' +
    'new request.',
);

const printable = /^[ -~]{1,255}$/;
/**
 * A string of RFC 8941 section 3.3.3, as draft-ietf-httpapi-idempotency-key-header requires. In such a string, a
 * backslash escapes a quote or a backslash.
 */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const escaped = /\\(["\\])/g;

/**
 * The idempotency key of a request. A quoted string and the same characters without quotes are the same key.
 * @param values the value of each `Idempotency-Key` header
 */
export function readIdempotencyKey(values: readonly string[]): string | ApiError {
  const [value = '', ...others] = values;
  const key = value.startsWith('"') ? unquoted(value) : value;
  return others.length === 0 && printable.test(key) ? key : invalidKey;
}

/** The text of a quoted string, or an empty text if the value is not a quoted string. */
function unquoted(value: string): string {
  return quotedString.exec(value)?.[1]?.replace(escaped, '$1') ?? '';
}

const invalidKey = apiError(
  'idempotency_key_invalid',
  'Send one Idempotency-Key of 1 to 255 printable ASCII characters, such as a UUID, with or without quotes.',
);
