import type http from 'node:http';

import fetch, { type RequestInit, type Response } from 'node-fetch';

import { isProgrammingError, UnavailableError } from '../../shared/core/errors.js';
import type { Scrub } from '../credentials/scrub.js';
import { proxyFault } from '../egress/tunnel.js';
import { type AttemptFailure, codeOf, failureOf, timeoutFailure } from './attemptFailure.js';
import type { ClientIdentity, Connection, ConnectionUse, WebhookConnections } from './connections.js';
import type { Deadline, ExchangeSignal } from './deadline.js';

/** A request whose URL has been checked. */
interface Call {
  readonly url: string;
  /** `https:` or `http:`. */
  readonly protocol: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly deadline: Deadline;
  /** Masks the credentials in the response; null if the request has none. */
  readonly scrub: Scrub | null;
  /** The certificate for TLS; by default there is none. */
  readonly identity?: ClientIdentity | null;
  /** The most bytes that are kept of the body of the response, up to 64 KiB; 4 KiB by default. */
  readonly keptBodyBytes?: number;
}

export interface WebhookResponse {
  /** The status code of the response, or null if the receiver sent no response. */
  readonly statusCode: number | null;
  readonly error: AttemptFailure | null;
  /** The first bytes of the body, not decompressed. */
  readonly responseBody: Buffer;
  /** Whether `responseBody` is not the whole body: the body was longer, cut off or late. */
  readonly responseTruncated: boolean;
  /** The headers of the response, at most 4 KiB in total. */
  readonly responseHeaders: Record<string, string>;
  /** The unparsed `Retry-After` header of a 429 or 503. */
  readonly retryAfter: string | null;
  /** The number of requests that may have reached the receiver: 2 if the request was repeated, and otherwise 1. */
  readonly requests: number;
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);
const retryAfterCodes = new Set([429, 503]);
/** The status codes of responses that have no body, by RFC 9110. */
const codesWithoutBody = new Set([204, 304]);

/** The most bytes that are read of a response body. A connection whose response is shorter can be reused. */
export const maxReadBytes = 64 * 1024;
/** The most bytes that are kept of the response body of an attempt, and the most bytes that are kept of all headers. */
const maxKeptBytes = 4 * 1024;
/**
 * The cost of a header in addition to its characters (RFC 7541 section 4.1), which limits the number of tiny headers.
 */
const headerOverheadBytes = 32;

const emptyBody = Buffer.alloc(0);

export function noResponse(error: AttemptFailure): WebhookResponse {
  return {
    statusCode: null,
    error,
    responseBody: emptyBody,
    responseTruncated: false,
    responseHeaders: {},
    retryAfter: null,
    requests: 1,
  };
}

/**
 * Sends a request and reads its response. Every failure of the receiver is a response without a status code.
 *
 * A receiver may close an idle connection at the moment of its reuse, and a receiver that restarts closes all
 * connections. A connection that is closed for one of these reasons is no failure of the receiver. So a request that is
 * lost on a reused connection, before the first byte of a response, is repeated once on a new connection. The receiver
 * may get a repeated request twice with the same `webhook-id`, which at-least-once delivery allows.
 * @throws UnavailableError if the egress proxy is at fault, which says nothing about the receiver
 */
export async function exchange(call: Call, connections: WebhookConnections): Promise<WebhookResponse> {
  const first = await singleExchange(call, connections, false);
  if (!first.mayRepeat) {
    return first.response;
  }
  const { response } = await singleExchange(call, connections, true);
  return { ...response, requests: 2 };
}

interface SingleExchange {
  readonly response: WebhookResponse;
  /** Whether the request was lost, and may be sent again. */
  readonly mayRepeat: boolean;
}

/** Sends a request once. `fresh` selects a new connection. */
async function singleExchange(
  call: Call,
  connections: WebhookConnections,
  fresh: boolean,
): Promise<SingleExchange> {
  const { protocol, deadline, scrub, identity = null, keptBodyBytes = maxKeptBytes } = call;
  const signal = deadline.signal();
  const init = requestInit(call, signal);
  const started = startExchange(connections, { protocol, fresh, identity }, (agent) =>
    fetch(call.url, { ...init, agent }),
  );
  if ('code' in started) {
    return { response: noResponse(started), mayRepeat: false };
  }
  const { exchange: responding, connection } = started;
  // Without `begin`, the attempt would wait for its deadline if the connection closes within a body of known length.
  // Node reports the close in a later turn of the event loop than the data, so a complete response is read before the
  // close.
  const stopWatching = connection?.begin(deadline.abort);
  try {
    const response = await readResponse(await responding, {
      deadline,
      signal,
      connection,
      scrub,
      keptBodyBytes,
    });
    return { response, mayRepeat: false };
  } catch (error) {
    return withoutResponse(error, deadline, connection);
  } finally {
    stopWatching?.();
  }
}

/** Starts an exchange; returns the failure of TLS if it cannot use the certificate of the webhook. */
function startExchange(
  connections: WebhookConnections,
  use: ConnectionUse,
  request: (agent: http.Agent) => Promise<Response>,
) {
  try {
    return connections.start(use, request);
  } catch (error) {
    if (isProgrammingError(error)) {
      throw error;
    }
    return failureOf(error, false);
  }
}

/** The end of an exchange without the complete head of a response. */
function withoutResponse(error: unknown, deadline: Deadline, connection: Connection | null): SingleExchange {
  if (codeOf(error) === proxyFault) {
    throw new UnavailableError('the egress proxy is at fault', { cause: error });
  }
  const failure = deadline.expired()
    ? timeoutFailure(deadline.milliseconds)
    : failureOf(error, connection?.made ?? true);
  const isLost = failure.code === 'connection_reset' && connection?.mayRepeat() === true;
  return { response: noResponse(failure), mayRepeat: isLost };
}

function requestInit({ headers, body }: Call, signal: ExchangeSignal): RequestInit {
  return { method: 'POST', headers, body, redirect: 'manual', compress: false, signal };
}

interface Exchange {
  readonly deadline: Deadline;
  readonly signal: ExchangeSignal;
  /** The connection of the exchange, or null if the exchange had to wait for a connection. */
  readonly connection: Connection | null;
  readonly scrub: Scrub | null;
  readonly keptBodyBytes: number;
}

/**
 * Reads the body of a response. The body decides about nothing: the status is known, and a receiver that has sent a 2xx
 * may have handled the event, however its body ends.
 */
async function readResponse(
  response: Response,
  { deadline, signal, connection, scrub, keptBodyBytes }: Exchange,
): Promise<WebhookResponse> {
  const { status, headers } = response;
  const body = await readBody(response, signal, scrub, keptBodyBytes);
  if (!body.isComplete) {
    // An unread body would occupy its connection until the receiver closes the connection.
    deadline.abort();
  }
  const isCutOff = !body.isComplete || (connection?.broken === true && endsWithConnection(response));
  return {
    statusCode: status,
    error: response.ok ? null : statusFailure(status),
    responseBody: body.kept,
    responseTruncated: isCutOff || body.readBytes > keptBodyBytes,
    responseHeaders: firstHeaders(headers, scrub),
    retryAfter: retryAfterCodes.has(status) ? headers.get('retry-after') : null,
    requests: 1,
  };
}

interface ReadBody {
  /** The first bytes of the body as the receiver sent them, not decompressed. */
  readonly kept: Buffer;
  readonly readBytes: number;
  /** Whether the body was read to its end. */
  readonly isComplete: boolean;
}

/**
 * Reads a body to its end, to 64 KiB, or until the exchange is aborted. The promise never rejects. If the body is not
 * complete, the caller closes its connection.
 */
function readBody(
  { status, body }: Response,
  signal: ExchangeSignal,
  scrub: Scrub | null,
  keptBytes: number,
): Promise<ReadBody> {
  if (codesWithoutBody.has(status)) {
    return Promise.resolve({ kept: emptyBody, readBytes: 0, isComplete: true });
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let readBytes = 0;
    const neededBytes = keptBytes + (scrub?.lookahead ?? 0);
    const finish = (isComplete: boolean): void => {
      body.off('data', read);
      signal.removeEventListener('abort', cutOff);
      resolve({ kept: firstBytes(chunks, scrub, keptBytes), readBytes, isComplete });
    };
    const cutOff = (): void => finish(false);
    const read = (chunk: Buffer): void => {
      if (readBytes < neededBytes) {
        chunks.push(chunk);
      }
      readBytes += chunk.length;
      if (readBytes >= maxReadBytes) {
        cutOff();
      }
    };
    body.on('data', read);
    body.once('end', () => finish(true));
    body.once('error', cutOff);
    body.once('close', cutOff);
    // An abort ends the read of a body that node-fetch destroyed before the listeners were added: it emits no event.
    signal.addEventListener('abort', cutOff);
  });
}

/**
 * Copies the first bytes of a body, because a slice would keep its whole chunk in memory as long as the outcome. The
 * scrub precedes the cut, so that no part of a credential remains at the cut.
 */
function firstBytes(chunks: readonly Buffer[], scrub: Scrub | null, keptBytes: number): Buffer {
  if (chunks.length === 0) {
    return emptyBody;
  }
  const read = Buffer.concat(chunks);
  return scrub === null
    ? Buffer.from(read.subarray(0, keptBytes))
    : scrub.bytes(read.subarray(0, keptBytes + scrub.lookahead), keptBytes);
}

/**
 * Whether a body has no length. A body without a length ends with its connection (RFC 9112 section 6.3). Node accepts
 * even a reset as the end of such a body.
 */
function endsWithConnection({ headers }: Response): boolean {
  return !headers.has('content-length') && !headers.has('transfer-encoding');
}

/** Names of headers that carry credentials, also if a receiver repeats those of the request. */
const confidentialName =
  /cookie|authorization|authentication|^x-auth|(api|access|auth|private)-?key|token|secret|signature|password|session|credential/;

/**
 * The headers of a response in the order of their names, as many as fit into 4 KiB. Credentials and signatures are
 * masked.
 */
function firstHeaders(headers: Response['headers'], scrub: Scrub | null): Record<string, string> {
  const shown = (text: string) => scrub?.text(text) ?? text;
  const kept: Record<string, string> = {};
  let remaining = maxKeptBytes;
  for (const [name, received] of headers) {
    const value = confidentialName.test(name) ? '***' : shown(received);
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value) + headerOverheadBytes;
    if (bytes <= remaining) {
      remaining -= bytes;
      kept[shown(name)] = value;
    }
  }
  return kept;
}

/** The failure that a response's status means, no matter how the body of the response ends. */
function statusFailure(status: number): AttemptFailure {
  return redirectCodes.has(status)
    ? {
        code: 'redirect_not_followed',
        message: `The receiver redirected with ${status}, and the service does not follow redirects`,
      }
    : { code: 'http_status', message: `The receiver answered with ${status}` };
}
