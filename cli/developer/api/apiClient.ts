import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { CommandFailure } from '../../terminal/output.js';
import type { Connection } from '../settings/connection.js';
import { isTemporary, RejectedError, rejectionOf, unreachable } from './failures.js';

export interface ApiRequest {
  /** `GET` by default. */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path with its slash, such as `/v1/events`. */
  readonly path: string;
  readonly query?: Query;
  /** A JSON text. */
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The JSON text to return if a repetition finds nothing any more, because an earlier try without a known result has
   * deleted it.
   */
  readonly answerIfGone?: string;
}

/** The parameters of a query, which may be repeated. */
export type Query = readonly (readonly [string, string])[];

export interface ApiClient {
  readonly connection: Connection;
  /**
   * Sends a request until it has an answer, with the same idempotency key each time.
   * @returns the JSON text of the answer
   * @throws RejectedError if the API rejects it, UnreachableError if there is no answer
   */
  readonly send: (request: ApiRequest, signal?: AbortSignal) => Promise<Buffer>;
  /**
   * Sends a request once, and returns as soon as the answer begins.
   * @throws RejectedError if the API rejects it, UnreachableError if there is no answer
   */
  readonly open: (request: ApiRequest, signal: AbortSignal) => Promise<Response>;
}

export interface ClientTiming {
  /** The time limit of one request, in milliseconds. */
  readonly timeoutMs: number;
  /** The pause before the first repetition, in milliseconds. Each further pause is twice as long. */
  readonly firstPauseMs: number;
}

/** The path of the event stream, the one answer that is not JSON. */
const streamPath = '/v1/events/stream';

const defaultTiming: ClientTiming = { timeoutMs: 30_000, firstPauseMs: 250 };
const maximumRepetitions = 3;
/** The longest pause that a user waits for, in milliseconds. */
const longestPauseMs = 60_000;

export function createApiClient(connection: Connection, timing = defaultTiming): ApiClient {
  const { url, apiKey } = connection;

  const open = async (request: ApiRequest, signal: AbortSignal): Promise<Response> => {
    const { method = 'GET', path, query = [], body, headers } = request;
    const search =
      query.length === 0 ? '' : `?${new URLSearchParams(query.map(([...pair]) => pair)).toString()}`;
    const answered = fetch(`${url.value}${path}${search}`, {
      method,
      signal,
      // A redirect would send the key to another address.
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${apiKey.value}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const response = await reached(answered, signal);
    if (!response.ok) {
      throw rejectionOf(response, await reached(response.text(), signal), connection);
    }
    // Another server may answer every path with its page.
    if (mediaTypeOf(response) !== (path === streamPath ? 'text/event-stream' : 'application/json')) {
      await response.body?.cancel().catch(() => undefined);
      throw rejectionOf(response, '', connection);
    }
    return response;
  };

  /** @throws UnreachableError, or the reason of the signal */
  const reached = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(error, connection);
    }
  };

  const sendOnce = async (request: ApiRequest, signal: AbortSignal | undefined): Promise<Buffer> => {
    const limit = AbortSignal.timeout(timing.timeoutMs);
    const ending = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    try {
      const response = await open(request, ending);
      return Buffer.from(await reached(response.arrayBuffer(), ending));
    } catch (error) {
      signal?.throwIfAborted();
      throw limit.aborted ? unreachable(limit.reason, connection) : error;
    }
  };

  const send = async (request: ApiRequest, signal?: AbortSignal): Promise<Buffer> => {
    const identified = withIdempotencyKey(request);
    let mayHaveWorked = false;
    for (let repetition = 0; ; repetition += 1) {
      try {
        return await sendOnce(identified, signal);
      } catch (error) {
        const { answerIfGone } = request;
        if (answerIfGone !== undefined && mayHaveWorked && isMissing(error)) {
          return Buffer.from(answerIfGone);
        }
        mayHaveWorked ||= !(error instanceof RejectedError) || error.status >= 500;
        const pauseMs = pauseBefore(error, repetition, timing.firstPauseMs);
        if (pauseMs === null) {
          throw error;
        }
        await pause(pauseMs, undefined, signal === undefined ? {} : { signal });
      }
    }
  };

  return { connection, open, send };
}

function mediaTypeOf({ headers }: Response): string {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase();
}

/** A repeated POST with its key takes effect once. The other methods may be repeated as they are. */
function withIdempotencyKey(request: ApiRequest): ApiRequest {
  return request.method === 'POST'
    ? { ...request, headers: { 'idempotency-key': randomUUID(), ...request.headers } }
    : request;
}

function isMissing(error: unknown): boolean {
  return error instanceof RejectedError && error.code === 'resource_missing';
}

/**
 * The pause before a failed request is repeated, in milliseconds, or null if it must not be repeated. The pause is what
 * the API asks for, or else grows exponentially, with up to a quarter at random.
 * @param repetition how often the request was repeated already
 */
function pauseBefore(error: unknown, repetition: number, firstPauseMs: number): number | null {
  if (!isTemporary(error) || repetition >= maximumRepetitions) {
    return null;
  }
  const asked = error instanceof RejectedError ? error.retryAfterMs : null;
  const pauseMs = asked ?? firstPauseMs * 2 ** repetition * (1 + Math.random() / 4);
  return pauseMs <= longestPauseMs ? pauseMs : null;
}

/**
 * The value in an answer of the API, which keeps its own schemas.
 * @throws CommandFailure if the answer is no JSON
 */
export function valueIn(answer: Buffer): unknown {
  try {
    return JSON.parse(answer.toString());
  } catch {
    throw new CommandFailure(
      'The answer of the service is no JSON. Check the address with `postrider doctor`.',
    );
  }
}
