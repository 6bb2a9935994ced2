import { setTimeout as pause } from 'node:timers/promises';

import { payloadOf } from '../../../shared/domain/webhooks/requestBody.js';
import type { ApiClient, Query } from '../api/apiClient.js';
import { readEvent, type ReceivedEvent } from '../api/events.js';
import { isTemporary } from '../api/failures.js';
import { followStream, type Connected, type Loss } from './followStream.js';
import { forward, type ForwardOutcome } from './forward.js';
import { eventsSince } from './history.js';
import type { LifeLimits } from './lifeSigns.js';
import { isDone, missingFrom, progressFrom, withDone, type Progress } from './progress.js';
import type { Forwarded } from './progressFile.js';

export interface ListenTerms {
  readonly client: Pick<ApiClient, 'open' | 'send'>;
  /** Types and patterns; every type if the list is empty. */
  readonly types: readonly string[];
  readonly tenantId: string | null;
  /** The URL of the local receiver. */
  readonly target: URL;
  readonly secret: Buffer;
  readonly limits: LifeLimits;
  /** What an earlier run has forwarded, or null to begin with new events. */
  readonly progress: Progress | null;
  /** Stores the progress before the next event is forwarded, after an event or, with null, at the beginning. */
  readonly keep: (progress: Progress, forwarded: Forwarded | null) => void;
  readonly report: ListenReport;
  /** Ends the command. A request in flight may take a moment longer. */
  readonly signal: AbortSignal;
}

export interface ListenReport {
  readonly connected: (after: Date | null) => void;
  readonly lost: (loss: Loss) => void;
  readonly forwarded: (event: ReceivedEvent, outcome: ForwardOutcome, isAgain: boolean) => void;
  /** The command ends before the receiver has answered, so the event is forwarded again by the next run. */
  readonly interrupted: (event: ReceivedEvent) => void;
}

export interface Listener {
  /** Forwards the last event again. */
  readonly repeat: () => void;
  /** Resolves when the signal was aborted, and rejects if the API rejects the requests of the command. */
  readonly ended: Promise<void>;
}

/** The bounds of events in memory. Events beyond them are read from the list later. */
const maximumQueued = 1000;
const maximumQueuedBytes = 16 * 1024 * 1024;
/** The time that a request in flight has after the command was ended, in milliseconds. */
const graceMs = 2000;
/** More than the error of the time of the service, which is known to the second. */
const clockErrorMs = 2000;
/** The pause after a failed read of the list, in milliseconds. */
const retryMs = 1000;

/**
 * Forwards the events of an account to a local receiver, one after the other. Whatever the stream may have missed is read
 * from the list of events: what was posted between two runs, while the connection was lost, or faster than the receiver
 * answers.
 */
export function listen(terms: ListenTerms): Listener {
  const { client, target, secret, keep, report, signal } = terms;
  const query = queryOf(terms);
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const cutting = new AbortController();

  let progress = terms.progress;
  let last: ReceivedEvent | null = null;
  let repeats = 0;
  let queue: ReceivedEvent[] = [];
  let queuedBytes = 0;
  let mayMissEvents = false;
  let lostSince: Date | null = null;
  let clockAheadMs = 0;
  let wake = (): void => undefined;

  const note = (next: Progress, forwarded: Forwarded | null) => {
    progress = next;
    keep(next, forwarded);
  };

  const onConnected = ({ after, serverTime, ...clock }: Connected) => {
    clockAheadMs = clock.clockAheadMs;
    // By a clock of this machine that is ahead, --since may be in the future of the service.
    if (progress === null || progress.floor > serverTime.getTime() + clockErrorMs) {
      note(progressFrom(serverTime), null);
    } else if (after === null) {
      mayMissEvents = true;
    }
    report.connected(lostSince);
    lostSince = null;
    wake();
  };

  const onLost = (loss: Loss) => {
    lostSince ??= loss.since;
    report.lost({ ...loss, since: lostSince });
  };

  const onEvent = (json: Buffer) => {
    const event = readEvent(json);
    if (progress === null || isDone(progress, positionOf(event))) {
      return;
    }
    if (queue.length >= maximumQueued || queuedBytes + json.length > maximumQueuedBytes) {
      mayMissEvents = true;
    } else {
      queue.push(event);
      queuedBytes += json.length;
    }
    wake();
  };

  const send = async (event: ReceivedEvent, isAgain: boolean) => {
    const request = { url: target, eventId: event.id, body: bodyOf(event), secret };
    const outcome = await forward(request, cutting.signal);
    if (outcome === null) {
      if (!isAgain) {
        report.interrupted(event);
      }
      return;
    }
    if (!isAgain && progress !== null) {
      const done = { event: positionOf(event), now: Date.now() + clockAheadMs + clockErrorMs };
      note(withDone(progress, done.event, done.now), done);
    }
    last = event;
    report.forwarded(event, outcome, isAgain);
  };

  const sendRepeats = async () => {
    for (; repeats > 0 && !ending.aborted; repeats -= 1) {
      if (last !== null) {
        await send(last, true);
      }
    }
  };

  const deliver = async (event: ReceivedEvent) => {
    if (progress !== null && !isDone(progress, positionOf(event))) {
      await send(event, false);
    }
    await sendRepeats();
  };

  const fill = async (from: Progress) => {
    try {
      for await (const event of eventsSince(client, query, missingFrom(from), ending)) {
        if (ending.aborted) {
          return;
        }
        await deliver(event);
      }
    } catch (error) {
      if (!ending.aborted && !isTemporary(error)) {
        throw error;
      }
      mayMissEvents = true;
      await pause(retryMs, undefined, { signal: ending }).catch(() => undefined);
    }
  };

  const work = async () => {
    while (!ending.aborted) {
      await sendRepeats();
      const [event, ...others] = queue;
      // What was missed is older than what the stream has sent since then.
      if (mayMissEvents && progress !== null) {
        mayMissEvents = false;
        await fill(progress);
      } else if (event !== undefined) {
        queue = others;
        queuedBytes -= event.json.length;
        await deliver(event);
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  };

  const grace = () => {
    wake();
    setTimeout(() => {
      cutting.abort();
    }, graceMs).unref();
  };

  const run = async () => {
    ending.addEventListener('abort', grace, { once: true });
    const following = followStream({
      client,
      query,
      limits: terms.limits,
      lastEventId: () => progress?.newest?.id ?? null,
      onConnected,
      onLost,
      onEvent,
      onGap: () => {
        mayMissEvents = true;
        wake();
      },
      signal: ending,
    });
    const stopOnFailure = (error: unknown) => {
      stopping.abort();
      throw error;
    };
    const ended = await Promise.allSettled([following.catch(stopOnFailure), work().catch(stopOnFailure)]);
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed !== undefined) {
      throw failed.reason;
    }
  };

  return {
    repeat: () => {
      repeats += 1;
      wake();
    },
    ended: run(),
  };
}

/** The filters of the stream and of the list. */
function queryOf({ types, tenantId }: Pick<ListenTerms, 'types' | 'tenantId'>): Query {
  const every = types.includes('*');
  return [
    ...(every ? [] : types.map((type) => ['type', type] as const)),
    ...(tenantId === null ? [] : ([['tenantId', tenantId]] as const)),
  ];
}

function positionOf({ id, created }: ReceivedEvent) {
  return { id, created: created.getTime() };
}

/** The body of a delivery, byte for byte. */
function bodyOf({ id, type, created, tenantId, data }: ReceivedEvent): Buffer {
  return payloadOf({ id, type, created, tenantId, data: data ?? Buffer.from('{}') });
}
