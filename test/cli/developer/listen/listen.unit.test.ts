import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';

import { listen } from '../../../../cli/developer/listen/listen.js';
import { lifeLimits } from '../../../../cli/developer/listen/lifeSigns.js';
import { progressFrom, type Progress } from '../../../../cli/developer/listen/progress.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';

/** An API whose stream sends the given events and stays open. */
function apiWith(serverTime: Date, events: readonly { id: string; created: Date }[]) {
  const messages = events.map(({ id, created }) => {
    const event = { id, type: 'order.completed', created, tenantId: null, data: {} };
    return `id: ${id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;
  });
  const open = (_request: unknown, signal: AbortSignal) => {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        stream.enqueue(Buffer.from(messages.join('')));
        signal.addEventListener('abort', () => {
          stream.error(signal.reason);
        });
      },
    });
    return Promise.resolve(new Response(body, { headers: { date: serverTime.toUTCString() } }));
  };
  const send = () => Promise.resolve(Buffer.from('{"data":[],"hasMore":false}'));
  return { open, send };
}

/** Listens until some events are forwarded. */
async function run(client: ReturnType<typeof apiWith>, since: Date, count: number) {
  const ids: string[] = [];
  let kept: Progress | null = null;
  const stopping = new AbortController();
  const receiver = createServer((request, response) => {
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  closeAtEndOfFile(() => receiver.close());
  const listener = listen({
    client,
    types: [],
    tenantId: null,
    target: new URL(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`),
    secret: Buffer.alloc(32),
    limits: lifeLimits,
    progress: progressFrom(since),
    keep: (progress) => {
      kept = progress;
    },
    report: {
      connected: () => undefined,
      lost: () => undefined,
      forwarded: ({ id }) => {
        ids.push(id);
        if (ids.length === count) {
          stopping.abort();
        }
      },
      interrupted: () => undefined,
    },
    signal: stopping.signal,
  });
  await listener.ended;
  return { ids, kept };
}

describe('a run of listen', () => {
  const hour = 3_600_000;
  const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
  const serverTimeAfter = (ms: number) => new Date(Math.floor((Date.now() + ms) / 1000) * 1000);

  it('tells events of the future by the clock of the service', async () => {
    const serverTime = serverTimeAfter(hour);
    const present = { id: 'evt_1', created: serverTime };
    const api = apiWith(serverTime, [{ id: 'evt_ahead', created: after(serverTime, hour) }, present]);

    const { ids, kept } = await run(api, after(serverTime, -1000), 2);

    expect(ids).to.deep.equal(['evt_ahead', 'evt_1']);
    expect(kept).to.have.deep.property('newest', { id: 'evt_1', created: serverTime.getTime() });
  });

  it('forwards new events if its --since is in the future of the service', async () => {
    const serverTime = serverTimeAfter(-hour);
    const api = apiWith(serverTime, [{ id: 'evt_1', created: serverTime }]);
    const { ids } = await run(api, new Date(Date.now() - 60_000), 1);
    expect(ids).to.deep.equal(['evt_1']);
  });
});
