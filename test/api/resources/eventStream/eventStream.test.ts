import { expect } from 'chai';

import { eventListSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { addApiKey, deleteApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { call, read, refusalOf } from '../../support/client.js';
import { postEvent, takenUpEvent } from '../../support/events.js';
import { eventsIn, openStream, type TestStream } from '../../support/eventStream.js';
import { openOwner } from '../../support/signedInUsers.js';
import { createTenant, openPortal } from '../../support/tenants.js';

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

describe('GET /v1/events/stream', () => {
  let account: TestAccount;
  let address: string;
  const opened: TestStream[] = [];
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
  });
  afterEach(() => {
    opened.splice(0).forEach((stream) => {
      stream.close();
    });
  });

  const open = async (headers: Readonly<Record<string, string>>, query = '', at = address) => {
    const stream = await openStream(at, headers, query);
    opened.push(stream);
    return stream;
  };

  it('sends new events of its account, mode and types in the form of GET /v1/events/{id}', async () => {
    const { live, test, liveKey } = await openAccount(account.service);
    const earlier = await postEvent(live, 'wanted');
    await eventually('the event in the list, with all its deliveries', async () => {
      const { data } = read(await live.get('/v1/events'), eventListSchema);
      return data.some(({ deliveriesComplete }) => deliveriesComplete) ? true : null;
    });
    const stream = await open(bearer(liveKey), '?type=other&type=wanted');
    const unwanted = [
      earlier,
      await postEvent(live, 'unwanted'),
      await postEvent(test, 'wanted'),
      await postEvent(account.live, 'wanted'),
    ];
    await live.post('/v1/events', '{"type":"wanted","data":{\r\n"a" : 1\n}}');
    const { id } = await postEvent(live, 'wanted');
    await stream.receives(new RegExp(`id: ${id}`));
    const shown = await takenUpEvent(live, id);
    // The stream sends the event again when delivery has taken it up.
    await eventually('the event as it is shown', () => {
      expect(eventsIn(stream.text()).findLast((event) => event.id === id)).to.deep.equal(shown);
      return true;
    });
    const broken = eventsIn(stream.text()).find((event) => event.id !== id);
    expect(broken).to.deep.include({ type: 'wanted', data: { a: 1 } });
    expect(unwanted.filter((event) => stream.text().includes(event.id))).to.deep.equal([]);
    const { status, headers } = stream;
    expect([
      status,
      headers['content-type'],
      headers['cache-control'],
      headers['x-accel-buffering'],
    ]).to.deep.equal([200, 'text/event-stream', 'no-store', 'no']);
  });

  it('sends an event again if its deliveries have changed', async () => {
    const fresh = await openAccount(account.service);
    await fresh.live.postJson('/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] });
    const stream = await open(bearer(fresh.liveKey));
    const { id } = await postEvent(fresh.live);
    const text = await stream.receives(new RegExp(`${id}.*"status":"retrying"`));
    expect(text).to.contain('connection_refused');
  });

  it('continues after the last event that the client has', async () => {
    const fresh = await openAccount(account.service);
    const first = await postEvent(fresh.live);
    const missed = [await postEvent(fresh.live), await postEvent(fresh.live)];
    const again = await open({ ...bearer(fresh.liveKey), 'last-event-id': first.id });
    for (const { id } of missed) {
      await again.receives(new RegExp(id));
    }
    expect(again.text()).not.to.contain('event: gap');
  });

  it('reports a gap after an event that is unknown or of another account', async () => {
    const other = await openAccount(account.service);
    for (const id of ['x', 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', (await postEvent(other.live)).id]) {
      const stream = await open({ ...bearer(account.liveKey), 'last-event-id': id });
      expect(await stream.receives(/event: gap\n/), id).to.contain('event: gap\ndata: {}\n\n');
    }
  });

  it('is limited to five for each account, over all processes, and to five for each tenant', async () => {
    const fresh = await openAccount(account.service);
    const tokenOf = async (id: string) => (await openPortal(await createTenant(fresh, id))).token;
    const [busy, otherTenant] = [await tokenOf('busy'), await tokenOf('other')];
    const other = await startAnotherApi(account.service);
    try {
      const streams = [];
      for (const at of [address, other.address, address, other.address, address]) {
        streams.push(await open(bearer(fresh.liveKey), '', at), await open(bearer(busy), '', at));
      }
      streams.push(await open(bearer(otherTenant)));
      expect(streams.map(({ status }) => status)).to.deep.equal(streams.map(() => 200));
      for (const headers of [bearer(fresh.testKey), bearer(busy)]) {
        for (const at of [address, other.address]) {
          const refused = await call(at, '/v1/events/stream', { headers });
          expect([refusalOf(refused), refused.headers['retry-after']]).to.deep.equal([
            '429 rate_limit_exceeded',
            '15',
          ]);
        }
      }
      streams[2]?.close();
      await eventually('a place', async () => {
        const stream = await open(bearer(fresh.liveKey), '', other.address);
        return stream.status === 200 ? stream : null;
      });
    } finally {
      opened.splice(0).forEach((stream) => {
        stream.close();
      });
      await other.stop();
    }
  });

  it('does not count a HEAD request', async () => {
    const fresh = await openAccount(account.service);
    const headers = bearer(fresh.liveKey);
    for (let count = 0; count < 7; count += 1) {
      await eventually('a place', async () => {
        const { status } = await call(address, '/v1/events/stream', { method: 'HEAD', headers });
        return status === 200 ? true : null;
      });
    }
    expect((await open(headers)).status).to.equal(200);
  });

  it('ends if its key is deleted, and if its session ends', async () => {
    const fresh = await openAccount(account.service);
    const [{ id, secret }, person] = [await addApiKey(fresh, { mode: 'live' }), await openOwner(fresh)];
    const streams = [await open(bearer(secret)), await open({ cookie: person.cookie })];
    await deleteApiKey(fresh, id);
    await person.send('DELETE', '/v1/session');
    expect(await Promise.all(streams.map(({ ended }) => ended))).to.deep.equal(['complete', 'complete']);
  });

  it('ends properly if the process stops', async () => {
    const other = await startAnotherApi(account.service);
    const stream = await open(bearer(account.liveKey), '', other.address);
    await stream.receives(/retry/);
    await other.stop();
    expect(await stream.ended).to.equal('complete');
  });

  it('rejects an invalid event type', async () => {
    const headers = bearer(account.liveKey);
    const response = await call(address, '/v1/events/stream?type=a..b', { headers });
    expect(refusalOf(response)).to.equal('400 event_type_invalid type');
  });
});
