import fetch, { type RequestInit, type Response } from 'node-fetch';

import type { Connection, WebhookConnections } from './connections.js';
import type { Deadline } from './deadline.js';
import type { ExchangeSignal } from './exchangeEnding.js';
import { type AttemptFailure, failureOf, invalidHttp, timeoutFailure } from './attemptFailure.js';
import { emptyBody, firstHeaders, type ReadBody, readBody } from './response.js';

/** A request that may be sent: its URL has been checked. */
interface Call {
  readonly url: string;
  /** `https:` or `http:`. */
  readonly protocol: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly deadline: Deadline;
}

/** What came back. */
export interface WebhookResponse {
  /** Null where no response came. */
  readonly statusCode: number | null;
  readonly error: AttemptFailure | null;
  /** The first 4 KiB, not decompressed. */
  readonly responseBody: Buffer;
  /** At most 4 KiB in total. */
  readonly responseHeaders: Record<string, string>;
  /** The header of a 429 or 503, as it was sent. */
  readonly retryAfter: string | null;
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);
const retryAfterCodes = new Set([429, 503]);

export function noResponse(error: AttemptFailure): WebhookResponse {
  return { statusCode: null, error, responseBody: emptyBody, responseHeaders: {}, retryAfter: null };
}

/**
 * Sends a request and reads its response. Never rejects.
 *
 * A receiver may close an idle connection at the very moment at which it is used again, and one that restarts closes all of
 * them. That is no failure of the receiver, so a request that is lost on a used connection, before the head of a response,
 * is sent once more on a new one. The receiver may then get it twice, with the same `webhook-id`: at-least-once delivery
 * lets any request be repeated.
 */
export async function exchange(call: Call, connections: WebhookConnections): Promise<WebhookResponse> {
  const first = await send(call, connections, false);
  return first.lostOnUsedConnection ? (await send(call, connections, true)).answer : first.answer;
}

interface Sent {
  readonly answer: WebhookResponse;
  readonly lostOnUsedConnection: boolean;
}

async function send(call: Call, connections: WebhookConnections, fresh: boolean): Promise<Sent> {
  const { deadline } = call;
  const signal = deadline.signal();
  const init = requestInit(call, signal);
  const { exchange: responding, connection } = connections.start(call.protocol, fresh, (agent) =>
    fetch(call.url, { ...init, agent }),
  );
  // After a 101, and within a body whose length is known, nobody else tells that the connection has closed: the attempt would wait
  // for its deadline. Node tells it in a later turn of the event loop than what has arrived, so a whole response is read by then.
  const end = connection?.begin(deadline.abort);
  try {
    const response = await responding;
    return {
      answer: await readAnswer(response, { deadline, signal, connection }),
      lostOnUsedConnection: false,
    };
  } catch (error) {
    const failure = failureWithin(deadline, error);
    const lostOnUsedConnection = failure.code === 'connection_reset' && connection?.reused === true;
    return { answer: noResponse(failure), lostOnUsedConnection };
  } finally {
    end?.();
  }
}

function requestInit({ headers, body }: Call, signal: ExchangeSignal): RequestInit {
  return { method: 'POST', headers, body, redirect: 'manual', compress: false, signal };
}

interface Exchange {
  readonly deadline: Deadline;
  readonly signal: ExchangeSignal;
  /** Null where the exchange has waited for one. */
  readonly connection: Connection | null;
}

async function readAnswer(
  response: Response,
  { deadline, signal, connection }: Exchange,
): Promise<WebhookResponse> {
  const { status, headers } = response;
  const body = await readBody(response, signal);
  if (body.end !== 'complete') {
    // An unread body would hold its connection for as long as the receiver likes.
    deadline.abort();
  }
  const isLost = isBodyLost(body, response) || (connection?.broken === true && endsWithConnection(response));
  const lossFailure = isLost ? failureWithin(deadline, body.error) : null;
  return {
    statusCode: status,
    error: response.ok ? lossFailure : statusFailure(status),
    responseBody: body.kept,
    responseHeaders: firstHeaders(headers),
    retryAfter: retryAfterCodes.has(status) ? headers.get('retry-after') : null,
  };
}

/** Bytes of a body whose length is known cannot be invalid: what is, follows them. */
function isBodyLost({ end, error }: ReadBody, { headers }: Response): boolean {
  return end === 'lost' && !(failureOf(error) === invalidHttp && headers.has('content-length'));
}

/**
 * Where nothing tells the length of a body, the end of the connection is its end (RFC 9112 section 6.3), and Node takes a
 * reset for that too.
 */
function endsWithConnection({ headers }: Response): boolean {
  return !headers.has('content-length') && !headers.has('transfer-encoding');
}

/** The status decides, however its body ends. */
function statusFailure(status: number): AttemptFailure {
  return redirectCodes.has(status)
    ? {
        code: 'redirect_not_followed',
        message: `The receiver redirected with ${status}; redirects are not followed`,
      }
    : { code: 'http_status', message: `The receiver answered with ${status}` };
}

function failureWithin(deadline: Deadline, error: unknown): AttemptFailure {
  return deadline.expired() ? timeoutFailure(deadline.milliseconds) : failureOf(error);
}
