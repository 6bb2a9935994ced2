import { Writable, type Readable } from 'node:stream';

import { expect } from 'chai';

import { follow } from '../../../api/eventStream/follow.js';
import type { RecentEvents } from '../../../api/eventStream/recentEvents.js';
import { eventually } from '../../support/eventually.js';

const id = 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';

/** Looks that each find these; every event is larger than what waits in memory for a reader. */
function recentOf(ids: readonly string[], onLook: () => void): RecentEvents {
  return {
    look: () => {
      onLook();
      return Promise.resolve({ hasGap: false, ids });
    },
    read: () =>
      Promise.resolve([
        {
          id,
          type: 'order.completed',
          created: new Date('2026-11-21T12:00:00.000Z'),
          data: Buffer.from(`{"text":"${'x'.repeat(200_000)}"}`),
          deliveries: [],
          mode: 'live',
        },
      ]),
  };
}

describe('api/eventStream/follow', () => {
  let time: number;
  let looks: number;
  /** Of the stream that was opened last. */
  let slot: { released: number };
  let stream: Readable;
  let failure: Error | null;
  let isLetIn: boolean;
  beforeEach(() => {
    time = 0;
    looks = 0;
    failure = null;
    isLetIn = true;
    stream = open([id]);
  });
  afterEach(() => {
    stream.destroy();
  });

  function open(ids: readonly string[]): Readable {
    const own = { released: 0 };
    slot = own;
    const opened = follow(
      {
        recent: recentOf(ids, () => {
          looks += 1;
        }),
        beginsWithGap: false,
        client: { isStillLetIn: () => Promise.resolve(isLetIn) },
        slot: {
          keep: () => Promise.resolve(),
          release: () => {
            own.released += 1;
            return Promise.resolve();
          },
        },
        stopping: new AbortController().signal,
      },
      { lookEveryMs: 1, heartbeatMs: Number.POSITIVE_INFINITY, stalledMs: 60_000, now: () => time },
    );
    opened.on('error', (error) => {
      failure = error;
    });
    return opened;
  }

  const closed = () => eventually('the end of the stream', () => (slot.released > 0 ? true : null));

  it('ends where its reader takes nothing for a minute, and gives its place back', async () => {
    stream.pipe(new Writable({ write: () => undefined }));
    await eventually('a minute without a reader', () => {
      time += 60_001;
      return slot.released > 0 ? true : null;
    });
    expect([failure?.message, slot.released]).to.deep.equal(['the reader of a stream takes nothing', 1]);
  });

  it('goes on where its reader is slow, and takes something within each minute', async () => {
    const takings: (() => void)[] = [];
    stream.pipe(new Writable({ write: (_chunk, _encoding, taken) => takings.push(taken) }));
    for (let taken = 0; taken < 5; taken += 1) {
      const take = await eventually('something to take', () => takings.shift() ?? null);
      time += 59_000;
      take();
    }
    await eventually('something after minutes', () => takings.shift() ?? null);
    expect([failure, slot.released]).to.deep.equal([null, 0]);
  });

  it('goes on where there is nothing to take for minutes', async () => {
    stream.destroy();
    await closed();
    stream = open([]);
    stream.resume();
    for (const minutes of [0, 2]) {
      time += minutes * 60_000;
      const seen = looks;
      await eventually('some looks', () => (looks > seen + 20 || slot.released > 0 ? true : null));
    }
    expect([failure, slot.released]).to.deep.equal([null, 0]);
  });

  it('ends in order once its reader is no longer let in, and gives its place back', async () => {
    stream.resume();
    isLetIn = false;
    await closed();
    expect([failure, slot.released]).to.deep.equal([null, 1]);
  });

  it('gives its place back at once where its reader goes away, also while there is nothing to say', async () => {
    stream.destroy();
    stream = open([]);
    stream.resume();
    await eventually('some looks', () => (looks > 20 ? true : null));
    stream.destroy();
    expect(slot.released).to.equal(1);
  });
});
