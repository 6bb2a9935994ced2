import { EventSourceParserStream } from 'eventsource-parser/stream';

import type { Mode } from '../navigation/places.js';
import { failureOfAnswer, type RequestFailure } from './failure.js';
import { pause } from './pause.js';
import type { Event } from './types.js';

export interface StreamTerms {
  readonly mode: Mode;
  readonly types: readonly string[];
  /** The id of a tenant, `null` for events without a tenant, or null for all events. */
  readonly tenantId: string | null;
  readonly signal: AbortSignal;
  readonly onEvent: (event: Event) => void;
  /** Called when the stream reports that it skipped events. */
  readonly onGap: () => void;
  /** Receives the failure if the event stream breaks, and null when the stream is connected again. */
  readonly onState: (failure: RequestFailure | null) => void;
}

const shortestPauseMs = 1000;
const longestPauseMs = 30_000;
const maySucceedLater: ReadonlySet<number> = new Set([429, 503]);

/**
 * Streams accepted events until `signal` is aborted. After a lost connection the client reconnects with the last event
 * id. The browser's `EventSource` cannot send the header `Postrider-Mode`, so `fetch` reads the stream.
 */
export async function followEvents({ signal, onState, ...terms }: StreamTerms): Promise<void> {
  let lastId: string | null = null;
  let pauseMs = shortestPauseMs;
  for (;;) {
    const failure = await follow({ ...terms, signal, onState }, lastId, (id) => {
      lastId = id;
      pauseMs = shortestPauseMs;
    });
    if (signal.aborted) {
      return;
    }
    onState(failure ?? lost);
    if (failure !== null && !maySucceedLater.has(failure.status)) {
      return;
    }
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

const lost = failureOfAnswer(0, {
  error: { code: 'unreachable', message: 'The connection to the service was lost. Reconnecting …' },
});

async function follow(
  { mode, types, tenantId, signal, onEvent, onGap, onState }: StreamTerms,
  lastId: string | null,
  onId: (id: string) => void,
): Promise<RequestFailure | null> {
  const query = new URLSearchParams([
    ...types.map((type) => ['type', type]),
    ...(tenantId === null ? [] : [['tenantId', tenantId]]),
  ]);
  const headers = { 'Postrider-Mode': mode, ...(lastId === null ? {} : { 'Last-Event-ID': lastId }) };
  try {
    const response = await fetch(`/v1/events/stream?${query.toString()}`, { headers, signal });
    if (!response.ok || response.body === null) {
      const body: unknown = await response.json().catch(() => null);
      return failureOfAnswer(response.status, body);
    }
    onState(null);
    const messages = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { id, event, data } of messages) {
      receive({ onEvent, onGap }, event, data);
      if (id !== undefined) {
        onId(id);
      }
    }
  } catch {
    // The connection broke, or `signal` was aborted. The caller distinguishes a broken connection from an aborted
    // `signal`.
  }
  return null;
}

function receive(
  { onEvent, onGap }: Pick<StreamTerms, 'onEvent' | 'onGap'>,
  kind: string | undefined,
  data: string,
): void {
  if (kind === 'event') {
    onEvent(JSON.parse(data) as Event);
  } else if (kind === 'gap') {
    onGap();
  }
}
