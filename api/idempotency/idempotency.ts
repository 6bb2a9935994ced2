import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { freshIdentity, secretLength, seededIdentity } from '../../shared/domain/core/requestIdentity.js';
import {
  reservationName,
  type Reservation,
  type Reservations,
} from '../../shared/store/coordination/reservations.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import { errorCodes } from '../http/errorCodes.js';
import type { Owner } from '../http/ownership.js';
import type { HandlerResult, HttpResponse, StoredResponse } from '../http/response.js';
import type { RestoreResponse, RunHandler, RunOnce } from '../http/route.js';
import { decodeReplayedResult, encodeResult } from './storedResponse.js';
import { freeWaitMs, type RetryStore } from './storeRetries.js';

/** A request whose idempotency key has not been read yet. */
export interface IdempotentRequest {
  readonly route: { readonly method: string; readonly path: string };
  /** The `{id}` in the path of the request. */
  readonly id: string;
  readonly message: Pick<IncomingMessage, 'headers' | 'headersDistinct'>;
  /** The parts of the request in which repeated requests must not differ. */
  readonly content: readonly (string | Buffer)[];
}

export interface Idempotency {
  /** Runs a handler once for all requests with one idempotency key. */
  readonly run: (request: IdempotentRequest, ...handler: Parameters<RunOnce>) => Promise<HandlerResult>;
}

export interface IdempotencyDependencies {
  readonly reservations: Reservations;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly randomBytes: (count: number) => Buffer;
  readonly retryStore: RetryStore;
}

const header = 'idempotency-key';
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
  const { reservations, clock, identifiers, randomBytes, retryStore } = dependencies;

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
      await retryStore(name, reservation.release, freeWaitMs);
      throw error;
    }
    if (isStored(result, isRepeat)) {
      await retryStore(name, () => reservation.complete(encodeResult(result)));
    } else {
      // This or an earlier request with the same key may have appended records. A later request must not append the same
      // records under another identity.
      const mayHaveAppended = isRepeat || isPartial(result) || isUnavailable(result);
      await retryStore(name, mayHaveAppended ? reservation.release : reservation.drop, freeWaitMs);
    }
    return result;
  };

  const runKeyed = async (
    request: IdempotentRequest,
    owner: Owner,
    handle: RunHandler,
    restore: RestoreResponse,
  ): Promise<HandlerResult> => {
    const key = readIdempotencyKey(request.message.headersDistinct[header] ?? []);
    if (typeof key !== 'string') {
      return key;
    }
    const name = nameOf(request, owner, key);
    const claim = await reservations.take({
      name,
      bodyHash: sha256(...request.content),
      created: clock(),
      seed: randomBytes(secretLength),
    });
    switch (claim.outcome) {
      case 'taken':
        return runReserved(name, claim.reservation, handle);
      case 'answered':
        return restored(decodeReplayedResult(claim.answer), restore);
      case 'in-use':
        return keyInUse;
      case 'other-body':
        return keyReused;
    }
  };

  return {
    run: (request, owner, handle, restore = unchanged) =>
      request.route.method === 'POST' && request.message.headers[header] !== undefined
        ? runKeyed(request, owner, handle, restore)
        : handle(freshIdentity(clock(), identifiers, randomBytes)),
  };
}

function unchanged(response: StoredResponse): HttpResponse {
  return response;
}

function restored(result: StoredResponse | ApiError, restore: RestoreResponse): HandlerResult {
  return isApiError(result) ? result : restore(result);
}

/**
 * The name of a reservation. The name contains the route and the id instead of the path, because one path has several
 * spellings.
 */
function nameOf({ route, id }: IdempotentRequest, owner: Owner, key: string): string {
  const { accountId, mode, tenant } = owner;
  const digest = sha256(JSON.stringify([mode, route.path, id, key]));
  return reservationName(accountId, digest, tenant?.lifeId ?? null);
}

function isStored(result: HandlerResult, isRepeat: boolean): boolean {
  if (!isApiError(result)) {
    return !isPartial(result);
  }
  const { status, retryable } = errorCodes[result.errorCode];
  return !isRepeat && !retryable && storedErrorStatuses.includes(status);
}

/** Whether a part of the request failed, and the other part may have appended records. */
function isPartial(result: HandlerResult): boolean {
  return !isApiError(result) && result.isPartial === true;
}

/** Whether the request failed with an unknown outcome: Kafka may have appended records without an acknowledgement. */
function isUnavailable(result: HandlerResult): boolean {
  return isApiError(result) && errorCodes[result.errorCode].status === 503;
}

function sha256(...parts: readonly (string | Buffer)[]): string {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
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
