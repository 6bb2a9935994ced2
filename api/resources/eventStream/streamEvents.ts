import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { StreamSlot } from '../../../shared/store/redis/streamSlots.js';
import { eventJson, type ShownEvent } from '../events/representation.js';
import type { RequestClient } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import type { NewEvents } from './newEvents.js';

/** What one stream is made of. */
export interface EventStream {
  readonly recent: NewEvents;
  /** Whether events are missing before its first. */
  readonly beginsWithGap: boolean;
  readonly client: Pick<RequestClient, 'isStillLetIn'>;
  readonly slot: StreamSlot;
  /** Whose bytes the text is. */
  readonly owner: string;
  readonly unsentBytes: Pick<UnsentBytes, 'hasRoom' | 'add'>;
  /** Ends all streams. */
  readonly stopping: AbortSignal;
}

/** What a stream goes by, in milliseconds. */
export interface StreamPace {
  readonly lookEveryMs: number;
  readonly heartbeatMs: number;
  /** Goes on at an even pace, whatever the date is set to. */
  readonly now: () => number;
}

const usualPace: StreamPace = {
  lookEveryMs: 1000,
  heartbeatMs: 15_000,
  now: () => performance.now(),
};
/** Read into memory at once: an event has 256 KiB at most. */
const readTogether = 8;

const heartbeat = ': heartbeat\n\n';
const gap = 'event: gap\ndata: {}\n\n';
/** A reader comes back after so many milliseconds (HTML Living Standard, section 9.2.6). */
const beginning = 'retry: 2000\n: the events of this account\n\n';

/**
 * The text of a stream, made as its reader takes it: one piece of it is in memory, and a slow reader delays its own looks. The stream ends
 * if its reader is no longer let in, if the database is unavailable, if the process stops, and if the account has too many unread bytes
 * for another piece: the reader connects again, and continues after the last event that it has read.
 */
export function streamEvents({ stopping, ...following }: EventStream, pace = usualPace): Readable {
  const { slot, owner, unsentBytes } = following;
  const gone = new AbortController();
  const ending = AbortSignal.any([stopping, gone.signal]);
  const text = textOf({ ...following, stopping: ending }, pace);
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

async function* textOf(following: EventStream, pace: StreamPace): AsyncGenerator<Buffer | string, void> {
  const { recent, beginsWithGap, client, slot, stopping } = following;
  const { lookEveryMs, heartbeatMs, now } = pace;
  let toldAt = now();
  yield beginsWithGap ? `${beginning}${gap}` : beginning;
  try {
    while (await client.isStillLetIn()) {
      yield* changesOf(recent);
      // A place that was given back stays so.
      if (now() - toldAt >= heartbeatMs && !stopping.aborted) {
        toldAt = now();
        await slot.keep();
        yield heartbeat;
      }
      await pause(lookEveryMs, undefined, { signal: stopping });
    }
  } catch (error) {
    if (!(error instanceof UnavailableError) && !stopping.aborted) {
      throw error;
    }
  }
}

async function* changesOf(recent: NewEvents): AsyncGenerator<Buffer | string, void> {
  const { hasGap, ids } = await recent.look();
  if (hasGap) {
    yield gap;
  }
  for (let read = 0; read < ids.length; read += readTogether) {
    const events = await recent.read(ids.slice(read, read + readTogether));
    yield Buffer.concat(events.map(messageOf));
  }
}

/** JSON that was sent with line breaks in it is several lines of `data`, which its reader joins by line breaks again. */
function messageOf(event: ShownEvent): Buffer {
  const data = eventJson(event)
    .toString()
    .replaceAll(/\r\n|\r|\n/g, '\ndata: ');
  return Buffer.from(`id: ${event.id}\nevent: event\ndata: ${data}\n\n`);
}
