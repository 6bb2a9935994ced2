import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { StreamSlot } from '../../../shared/store/redis/streamSlots.js';
import type { RequestClient } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import { eventJson, type PublicEvent } from '../events/representation.js';
import type { EventPoller } from './eventPoller.js';

/** What one stream is made of. */
export interface EventStream {
  readonly poller: EventPoller;
  /** Whether events are missing before its first. */
  readonly beginsWithGap: boolean;
  readonly client: Pick<RequestClient, 'isStillAuthorized'>;
  readonly slot: StreamSlot;
  /** Whose bytes the text is. */
  readonly owner: string;
  readonly unsentBytes: Pick<UnsentBytes, 'hasRoom' | 'add'>;
  /** Ends all streams. */
  readonly stopping: AbortSignal;
}

/** What a stream goes by, in milliseconds. */
export interface StreamTiming {
  readonly pollIntervalMs: number;
  readonly heartbeatMs: number;
  /** Goes on at an even pace, whatever the date is set to. */
  readonly now: () => number;
}

const defaultTiming: StreamTiming = {
  pollIntervalMs: 1000,
  heartbeatMs: 15_000,
  now: () => performance.now(),
};
/** Read into memory at once: an event has 256 KiB at most. */
const readTogether = 8;

const heartbeat = ': heartbeat\n\n';
const gap = 'event: gap\ndata: {}\n\n';
/** A reader comes back after so many milliseconds (HTML Living Standard, section 9.2.6). */
const opening = 'retry: 2000\n: the events of this account\n\n';

/**
 * The text of a stream, made as its reader takes it: one piece of it is in memory, and a slow reader delays its own looks. The stream ends
 * if its reader is no longer let in, if the database is unavailable, if the process stops, and if the account has too many unread bytes
 * for another piece: the reader connects again, and continues after the last event that it has read.
 */
export function streamEvents({ stopping, ...following }: EventStream, timing = defaultTiming): Readable {
  const { slot, owner, unsentBytes } = following;
  const gone = new AbortController();
  const ending = AbortSignal.any([stopping, gone.signal]);
  const text = textOf({ ...following, stopping: ending }, timing);
  let release = (): void => undefined;
  const next = async () => {
    // The reader has taken the piece before.
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
    // Without a piece in advance.
    highWaterMark: 0,
    read: () => void next(),
    destroy: (error, done) => {
      release();
      // Immediately, not when there is something to say again: the slot is for the next reader.
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
      // A place that was given back stays so.
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

/** JSON that was sent with line breaks in it is several lines of `data`, which its reader joins by line breaks again. */
function messageOf(event: PublicEvent): Buffer {
  const data = eventJson(event)
    .toString()
    .replaceAll(/\r\n|\r|\n/g, '\ndata: ');
  return Buffer.from(`id: ${event.id}\nevent: event\ndata: ${data}\n\n`);
}
