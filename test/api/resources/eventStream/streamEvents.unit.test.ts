import { Writable, type Readable } from 'node:stream';

import { expect } from 'chai';

import type { EventPoller } from '../../../../api/resources/eventStream/eventPoller.js';
import { streamEvents } from '../../../../api/resources/eventStream/streamEvents.js';
import { createUnsentBytes, type UnsentBytes } from '../../../../api/server/unsentBytes.js';
import { eventually } from '../../../support/eventually.js';

const id = 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';

/** A poller that finds these events in each poll. Each event is larger than the buffer of the stream. */
function recentOf(ids: readonly string[], onLook: () => void): EventPoller {
  return {
    poll: () => {
      onLook();
      return Promise.resolve({ hasGap: false, ids });
    },
    read: () =>
      Promise.resolve([
        {
          id,
          type: 'order.completed',
          created: new Date('2026-11-21T12:00:00.000Z'),
          tenantId: null,
          data: Buffer.from(`{"text":"${'x'.repeat(200_000)}"}`),
          deliveries: [],
          deliveriesComplete: true,
          validation: null,
          mode: 'live',
        },
      ]),
  };
}

describe('the text of an event stream', () => {
  let unsentBytes: UnsentBytes;
  let looks: number;
  /** The slot of the latest stream. */
  let slot: { released: number; kept: number };
  let time: number;
  let stream: Readable;
  let failure: Error | null;
  let isLetIn: boolean;
  beforeEach(() => {
    unsentBytes = createUnsentBytes({ ofProcess: 10_000_000, ofOwner: 1_000_000 });
    looks = 0;
    time = 0;
    failure = null;
    isLetIn = true;
    stream = open([id]);
  });
  afterEach(() => {
    stream.destroy();
  });

  function open(ids: readonly string[]): Readable {
    const own = { released: 0, kept: 0 };
    slot = own;
    const opened = streamEvents(
      {
        poller: recentOf(ids, () => {
          looks += 1;
        }),
        beginsWithGap: false,
        client: { isStillAuthorized: () => Promise.resolve(isLetIn) },
        slot: {
          keep: () => {
            own.kept += 1;
            return Promise.resolve();
          },
          release: () => {
            own.released += 1;
            return Promise.resolve();
          },
        },
        owner: 'acct_1',
        unsentBytes,
        stopping: new AbortController().signal,
      },
      { pollIntervalMs: 1, heartbeatMs: 15_000, now: () => time },
    );
    opened.on('error', (error) => {
      failure = error;
    });
    return opened;
  }

  const closed = () => eventually('the end of the stream', () => (slot.released > 0 ? true : null));

  it('creates the next piece when the client has read the one before', async () => {
    const takings: (() => void)[] = [];
    stream.pipe(new Writable({ write: (_chunk, _encoding, taken) => takings.push(taken) }));
    for (let taken = 0; taken < 5; taken += 1) {
      const take = await eventually('something to take', () => takings.shift() ?? null);
      expect(unsentBytes.total()).to.be.below(500_000);
      expect(stream.readableLength, 'made in advance').to.equal(0);
      take();
    }
    expect([failure, slot.released]).to.deep.equal([null, 0]);
  });

  it('ends properly if the account has too many unread bytes', async () => {
    unsentBytes.add('acct_1', 900_000);
    stream.resume();
    await closed();
    expect([failure, unsentBytes.total()]).to.deep.equal([null, 900_000]);
  });

  it('no longer counts its bytes once the client has closed the connection', async () => {
    stream.pipe(new Writable({ write: () => undefined }));
    await eventually('a piece that is not taken', () => (unsentBytes.total() > 200_000 ? true : null));
    stream.destroy();
    await eventually('the end of the count', () => (unsentBytes.total() === 0 ? true : null));
  });

  it('ends properly once the client is no longer authorized, and releases its slot', async () => {
    stream.resume();
    isLetIn = false;
    await closed();
    expect([failure, slot.released]).to.deep.equal([null, 1]);
  });

  it('sends a comment every 15 seconds if there are no events, and keeps its slot', async () => {
    stream.destroy();
    stream = open([]);
    let text = '';
    stream.on('data', (chunk) => (text += String(chunk)));
    const heartbeats = () => text.split(': heartbeat\n\n').length - 1;
    await eventually('some looks', () => (looks > 5 ? true : null));
    expect(heartbeats()).to.equal(0);
    for (const count of [1, 2]) {
      time += 15_000;
      await eventually('a heartbeat', () => (heartbeats() === count ? true : null));
    }
    expect([heartbeats(), slot.kept]).to.deep.equal([2, 2]);
  });

  it('releases its slot at once if the client closes the connection, also while there are no events', async () => {
    stream.destroy();
    stream = open([]);
    stream.resume();
    await eventually('some looks', () => (looks > 20 ? true : null));
    stream.destroy();
    expect(slot.released).to.equal(1);
  });
});
