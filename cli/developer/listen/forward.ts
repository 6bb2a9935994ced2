import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

import { requestHeaders, userAgent } from '../../../shared/domain/webhooks/requestHeaders.js';

export interface LocalRequest {
  readonly url: URL;
  readonly eventId: string;
  readonly body: Buffer;
  readonly secret: Buffer;
}

export interface ForwardOutcome {
  readonly at: Date;
  /** The status of the answer, or null if there is none. */
  readonly statusCode: number | null;
  /** Why there is no answer, or null. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** The time limit of a delivery by default, in milliseconds. */
const timeoutMs = 15_000;

/** The error of an outcome if nothing listens at the address. */
export const connectionRefused = 'connection refused';

/** What to do if nothing listens at the URL of the receiver. */
export function nothingListens({ host }: URL): string {
  return `Nothing listens on ${host}. Start the receiver, or correct --forward-to.`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: connectionRefused,
  ECONNRESET: 'connection closed',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
};

/**
 * Sends a request to a local receiver, with the headers and the signature of a delivery to a webhook. As for a webhook,
 * only the status of the answer counts, and redirects are not followed.
 * @returns null if the signal was aborted before the answer
 */
export function forward(
  { url, eventId, body, secret }: LocalRequest,
  signal: AbortSignal,
): Promise<ForwardOutcome | null> {
  const at = new Date();
  const start = performance.now();
  const headers = {
    'content-length': String(body.length),
    ...requestHeaders({ eventId, body, secrets: [secret] }, undefined, { userAgent, at }),
  };
  const limit = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const end = (statusCode: number | null, error: string | null) => {
      resolve({ at, statusCode, error, durationMs: Math.round(performance.now() - start) });
    };
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const options = { method: 'POST', headers, agent: false, signal: AbortSignal.any([signal, limit]) };
    const sent = send(url, options, (response) => {
      response.on('error', () => undefined).resume();
      end(response.statusCode ?? null, null);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) {
        resolve(null);
      } else {
        end(null, limit.aborted ? 'no answer in 15 s' : reasonOf(error));
      }
    });
    sent.end(body);
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error;
  // A host with several addresses has one error for each.
  const inner = error instanceof AggregateError ? (error.errors as readonly NodeJS.ErrnoException[]) : [];
  return reasons[code] ?? inner.map((one) => reasons[one.code ?? '']).find(Boolean) ?? error.message;
}
