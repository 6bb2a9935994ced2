import { setTimeout as pause } from 'node:timers/promises';

import { createParser } from 'eventsource-parser';

import { messageOf } from '../../../shared/core/errors.js';
import type { ApiClient, Query } from '../api/apiClient.js';
import { isTemporary, RejectedError, UnreachableError } from '../api/failures.js';
import { watchLife, type LifeLimits } from './lifeSigns.js';

export interface Connected {
  /** The event after which the stream continues, or null if the stream has only new events. */
  readonly after: string | null;
  /** The time of the service, to the second. */
  readonly serverTime: Date;
  /** How far the clock of the service is ahead of the clock of this machine, in milliseconds, to the second. */
  readonly clockAheadMs: number;
}

export interface Loss {
  /** The last sign of life of the connection. */
  readonly since: Date;
  readonly reason: string;
}

export interface StreamTerms {
  readonly client: Pick<ApiClient, 'open'>;
  readonly query: Query;
  readonly limits: LifeLimits;
  /** The event after which the stream continues, asked at each connection. */
  readonly lastEventId: () => string | null;
  /** Called at each connection, after its first sign of life. */
  readonly onConnected: (connected: Connected) => void;
  readonly onLost: (loss: Loss) => void;
  /** Receives the JSON text of an event that is new or has changed. */
  readonly onEvent: (json: Buffer) => void;
  /** Called if the stream omits events. */
  readonly onGap: () => void;
  readonly signal: AbortSignal;
}

const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** The longest pause that the service may ask for, in milliseconds. */
const longestAskedMs = 60_000;
/** More than the longest message of the service. */
const maximumMessageLength = 16 * 1024 * 1024;

/**
 * Follows the event stream until the signal is aborted. A connection that is lost, or shows no sign of life, is replaced
 * by another one.
 * @throws RejectedError or UnreachableError if the first connection fails, or the API rejects a later one for good
 */
export async function followStream(terms: StreamTerms): Promise<void> {
  const { signal, onLost } = terms;
  /** The last sign of life of any connection, or null before the first one. */
  let aliveAt: Date | null = null;
  let failures = 0;
  for (;;) {
    const end = await readStream(terms);
    if (signal.aborted) {
      return;
    }
    failures = end.aliveAt === null ? failures + 1 : 0;
    aliveAt = end.aliveAt ?? aliveAt;
    if (aliveAt === null || (end.error !== null && !mayRecover(end.error))) {
      throw end.error ?? new LostError('The service has ended the stream at once.');
    }
    onLost({ since: aliveAt, reason: reasonOf(end.error) });
    await pause(pauseAfter(end.error, failures), undefined, { signal }).catch(() => undefined);
  }
}

/** Whether another connection may work, after one that has worked. A status below 400 is of another server in between. */
function mayRecover(error: Error): boolean {
  return (
    isTemporary(error) || error instanceof LostError || (error instanceof RejectedError && error.status < 400)
  );
}

/** The error of a connection that is given up, because it has shown no sign of life. */
class LostError extends Error {}

interface StreamEnd {
  /** Null if the service has ended the stream in order. */
  readonly error: Error | null;
  /** The last sign of life, or null if there was none. */
  readonly aliveAt: Date | null;
}

async function readStream(terms: StreamTerms): Promise<StreamEnd> {
  const { client, query, limits, signal, onConnected } = terms;
  const giving = new AbortController();
  const life = watchLife(limits, (reason) => {
    giving.abort(new LostError(reason));
  });
  const after = terms.lastEventId();
  let wasAlive = false;
  const end = (error: unknown): StreamEnd => ({
    error: error === null || error instanceof Error ? error : new LostError(messageOf(error)),
    aliveAt: wasAlive ? life.aliveAt() : null,
  });
  try {
    const request = {
      path: '/v1/events/stream',
      query,
      headers: after === null ? {} : { 'last-event-id': after },
    };
    const response = await client.open(request, AbortSignal.any([signal, giving.signal]));
    const answeredAt = Date.now();
    const serverTime = new Date(response.headers.get('date') ?? answeredAt);
    const clockAheadMs = serverTime.getTime() - answeredAt;
    const parser = parserOf(terms);
    const decoder = new TextDecoder();
    for await (const chunk of chunksOf(response)) {
      life.alive();
      if (!wasAlive) {
        wasAlive = true;
        onConnected({ after, serverTime, clockAheadMs });
      }
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
    return end(null);
  } catch (error) {
    return end(giving.signal.aborted ? giving.signal.reason : error);
  } finally {
    life.stop();
    giving.abort();
  }
}

/** @throws LostError if the connection breaks */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  for (;;) {
    const read = await reader?.read().catch(() => {
      throw new LostError('the connection broke');
    });
    if (read?.value === undefined) {
      return;
    }
    yield read.value;
  }
}

function reasonOf(error: Error | null): string {
  if (error === null) {
    return 'the service has ended the connection';
  }
  return error instanceof UnreachableError ? error.reason : messageOf(error);
}

function parserOf({ onEvent, onGap }: StreamTerms) {
  return createParser({
    maxBufferSize: maximumMessageLength,
    onEvent: ({ event, data }) => {
      if (event === 'event') {
        onEvent(Buffer.from(data));
      } else if (event === 'gap') {
        onGap();
      }
    },
  });
}

/** The pause before another connection, in milliseconds. After the end of a working connection it is short. */
export function pauseAfter(error: Error | null, failures: number): number {
  const asked = error instanceof RejectedError ? error.retryAfterMs : null;
  const grown = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
  return asked === null ? grown * (1 - Math.random() / 4) : Math.min(asked, longestAskedMs);
}
