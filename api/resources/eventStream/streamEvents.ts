import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { StreamSlot } from '../../../shared/store/redis/streamSlots.js';
import type { RequestClient } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import { eventJson, type PublicEvent } from '../events/representation.js';
import type { EventPoller } from './eventPoller.js';

/** The dependencies of one event stream. */
export interface EventStream {
  readonly poller: EventPoller;
  /** Whether events are missing before the first event of the stream. */
  readonly beginsWithGap: boolean;
  readonly client: Pick<RequestClient, 'isStillAuthorized'>;
  readonly slot: StreamSlot;
  /** The account whose limit of unsent bytes the stream uses. */
  readonly owner: string;
  readonly unsentBytes: Pick<UnsentBytes, 'hasRoom' | 'add'>;
  /** A signal that is aborted when all event streams must end. */
  readonly stopping: AbortSignal;
}

/** The intervals of a stream, in milliseconds. */
export interface StreamTiming {
  readonly pollIntervalMs: number;
  readonly heartbeatMs: number;
  /** A monotonic clock. */
  readonly now: () => number;
}

const defaultTiming: StreamTiming = {
  pollIntervalMs: 1000,
  heartbeatMs: 15_000,
  now: () => performance.now(),
};
/** The number of events of a stream in memory. An event has at most 256 KiB. */
const readTogether = 8;

const heartbeat = ': heartbeat\n\n';
const gap = 'event: gap\ndata: {}\n\n';
/**
 * The first text of a stream. `retry` is the delay of a reconnect, in milliseconds (HTML Living Standard, section
 * 9.2.6).
 */
const opening = 'retry: 2000\n: the events of this account\n\n';

/**
 * The text of an event stream, produced at the speed of its reader. One piece of text is in memory, and a slow reader
 * delays only its own polls. After the stream ends, the reader reconnects and continues after the last event that it
 * has read.
 *
 * The stream ends if:
 * - the reader is no longer authorized
 * - the database is unavailable
 * - the API process stops
 * - the account has too many unread bytes for another piece
 */
export function streamEvents({ stopping, ...following }: EventStream, timing = defaultTiming): Readable {
  const { slot, owner, unsentBytes } = following;
  const gone = new AbortController();
  const ending = AbortSignal.any([stopping, gone.signal]);
  const text = textOf({ ...following, stopping: ending }, timing);
  let release = (): void => undefined;
  const next = async () => {
    // A call of `read` shows that the reader has read the previous piece.
    release();
    try {
      const { done, value } = await text.next();
      const length = done === true ? 0 : value.length;
      if (done === true || !unsentBytes.hasRoom(owner, length)) {
        stream.push(null);
      } else if (!stream.destroyed) {
        release = unsentBytes.add(owner, length);
        stream.push(value);
      }
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const stream = new Readable({
    // With a high-water mark of 0, the stream produces no piece in advance.
    highWaterMark: 0,
    read: () => void next(),
    destroy: (error, done) => {
      release();
      // The slot of the stream is released without waiting for the next poll, because the next reader needs the slot.
      gone.abort();
      void slot.release();
      done(error);
    },
  });
  return stream;
}

async function* textOf(following: EventStream, timing: StreamTiming): AsyncGenerator<Buffer | string, void> {
  const { poller, beginsWithGap, client, slot, stopping } = following;
  const { pollIntervalMs, heartbeatMs, now } = timing;
  let heartbeatAt = now();
  yield beginsWithGap ? `${opening}${gap}` : opening;
  try {
    while (await client.isStillAuthorized()) {
      yield* changesOf(poller);
      // After `stopping` the slot may be released, and a released slot must not be renewed.
      if (now() - heartbeatAt >= heartbeatMs && !stopping.aborted) {
        heartbeatAt = now();
        await slot.keep();
        yield heartbeat;
      }
      await pause(pollIntervalMs, undefined, { signal: stopping });
    }
  } catch (error) {
    if (!(error instanceof UnavailableError) && !stopping.aborted) {
      throw error;
    }
  }
}

async function* changesOf(poller: EventPoller): AsyncGenerator<Buffer | string, void> {
  const { hasGap, ids } = await poller.poll();
  if (hasGap) {
    yield gap;
  }
  for (let read = 0; read < ids.length; read += readTogether) {
    const events = await poller.read(ids.slice(read, read + readTogether));
    yield Buffer.concat(events.map(messageOf));
  }
}

/**
 * The server-sent event of an event. If its JSON has line breaks, each line becomes a `data` field, and the reader
 * joins the fields by line breaks.
 */
function messageOf(event: PublicEvent): Buffer {
  const data = eventJson(event)
    .toString()
    .replaceAll(/\r\n|\r|\n/g, '\ndata: ');
  return Buffer.from(`id: ${event.id}\nevent: event\ndata: ${data}\n\n`);
}
