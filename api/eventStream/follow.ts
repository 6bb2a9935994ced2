import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/errors.js';
import type { StreamSlot } from '../../shared/redis/streamSlots.js';
import { eventJson, type ShownEvent } from '../events/representation.js';
import type { RequestClient } from '../route.js';
import type { RecentEvents } from './recentEvents.js';

/** What one stream is made of. */
export interface Following {
  readonly recent: RecentEvents;
  /** Whether events are missing before its first. */
  readonly beginsWithGap: boolean;
  readonly client: Pick<RequestClient, 'isStillLetIn'>;
  readonly slot: StreamSlot;
  /** Ends all streams. */
  readonly stopping: AbortSignal;
}

/** What a stream goes by, in milliseconds. */
export interface StreamPace {
  readonly lookEveryMs: number;
  readonly heartbeatMs: number;
  /** A reader that takes nothing for so long is gone. */
  readonly stalledMs: number;
  /** Goes on at an even pace, whatever the date is set to. */
  readonly now: () => number;
}

const usualPace: StreamPace = {
  lookEveryMs: 1000,
  heartbeatMs: 15_000,
  stalledMs: 60_000,
  now: () => performance.now(),
};
/** Read into memory at once: an event has 256 KiB at most. */
const readTogether = 20;

const heartbeat = ': heartbeat\n\n';
const gap = 'event: gap\ndata: {}\n\n';
/** A reader comes back after so many milliseconds (HTML Living Standard, section 9.2.6). */
const beginning = 'retry: 2000\n: the events of this account\n\n';

/**
 * The text of a stream, made as its reader takes it: a slow one holds up its own looks, and nothing waits in memory.
 * It ends where its reader is no longer let in, where the database is away, and where the process stops.
 */
export function follow({ stopping, slot, ...following }: Following, pace = usualPace): Readable {
  const gone = new AbortController();
  const ending = AbortSignal.any([stopping, gone.signal]);
  const text = textOf({ ...following, slot, stopping: ending }, pace);
  /** Since when a piece of text waits for its reader. */
  let waitingSince: number | null = null;
  const next = async () => {
    waitingSince = null;
    try {
      const { done, value } = await text.next();
      waitingSince = pace.now();
      stream.push(done === true ? null : value);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const stream = new Readable({
    read: () => void next(),
    destroy: (error, done) => {
      clearInterval(timer);
      // At once, not when there is something to say again: the place is for whoever comes next.
      gone.abort();
      void slot.release();
      done(error);
    },
  });
  const timer = setInterval(() => {
    if (waitingSince !== null && pace.now() - waitingSince > pace.stalledMs) {
      stream.destroy(new Error('the reader of a stream takes nothing'));
    }
  }, pace.lookEveryMs);
  return stream;
}

async function* textOf(following: Following, pace: StreamPace): AsyncGenerator<Buffer | string, void> {
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

async function* changesOf(recent: RecentEvents): AsyncGenerator<Buffer | string, void> {
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
