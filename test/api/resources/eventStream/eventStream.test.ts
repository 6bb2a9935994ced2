import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { addApiKey, deleteApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { call, read, refusalOf, type Client } from '../../support/client.js';
import { takenUpEvent } from '../../support/events.js';
import { eventsIn, openStream, type TestStream } from '../../support/eventStream.js';
import { openOwner, openUser } from '../../support/signedInUsers.js';
import { createTenant, openPortal } from '../../support/tenants.js';

async function post(client: Client, type = 'order.completed'): Promise<string> {
  const event = read(await client.postJson('/v1/events', { type, data: { orderId: 'ord_1' } }), eventSchema);
  return event.id;
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function idsIn(stream: TestStream): readonly string[] {
  return [...new Set(eventsIn(stream.text()).map(({ id }) => id))];
}

describe('GET /v1/events/stream', () => {
  let account: TestAccount;
  let address: string;
  let quiet: TestStream;
  const opened: TestStream[] = [];
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
    const other = await openAccount(account.service);
    quiet = await openStream(address, bearer(other.liveKey));
  });
  after(() => {
    quiet.close();
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
  /** Opens a stream, and waits for its first poll: all later events are new. */
  const streamEvents = async (of: TestAccount, query = '', key = of.liveKey) => {
    const stream = await open(bearer(key), query);
    const mark = await post(key === of.testKey ? of.test : of.live, 'test.mark');
    await (query === '' ? stream.receives(new RegExp(mark)) : stream.receives(/retry/));
    return stream;
  };

  it('is a stream of server-sent events that is neither cached nor buffered', async () => {
    const { status, headers } = await open(bearer(account.liveKey));
    expect([
      status,
      headers['content-type'],
      headers['cache-control'],
      headers['x-accel-buffering'],
    ]).to.deep.equal([200, 'text/event-stream', 'no-store', 'no']);
  });

  it('sends a new event in the form of GET /v1/events/{id}', async () => {
    const stream = await streamEvents(account);
    const id = await post(account.live);
    await stream.receives(new RegExp(`id: ${id}`));
    const shown = await takenUpEvent(account.live, id);
    // The stream sends the event again when delivery has taken it up.
    await eventually('the event as it is shown', () => {
      expect(eventsIn(stream.text()).findLast((event) => event.id === id)).to.deep.equal(shown);
      return true;
    });
  });

  it('does not send earlier events', async () => {
    const fresh = await openAccount(account.service);
    const before = await post(fresh.live);
    await eventually('the event in the list, with all its deliveries', async () => {
      const { data } = read(await fresh.live.get('/v1/events'), eventListSchema);
      return data.some(({ id, deliveriesComplete }) => id === before && deliveriesComplete) ? true : null;
    });
    expect(idsIn(await streamEvents(fresh))).not.to.include(before);
  });

  it('sends data with line breaks intact', async () => {
    const stream = await streamEvents(account);
    const body = '{"type":"a","data":{\r\n"a" : 1\n}}';
    await account.live.post('/v1/events', body);
    const text = await stream.receives(/"a" : 1/);
    expect(eventsIn(text).at(-1)).to.deep.include({ type: 'a', data: { a: 1 } });
  });

  it('sends only events of the requested types', async () => {
    const fresh = await openAccount(account.service);
    const stream = await streamEvents(fresh, '?type=b&type=c');
    const ids = [await post(fresh.live, 'a'), await post(fresh.live, 'b'), await post(fresh.live, 'c')];
    await stream.receives(new RegExp(ids[2] ?? ''));
    await stream.receives(new RegExp(ids[1] ?? ''));
    expect(idsIn(stream).includes(ids[0] ?? '')).to.equal(false);
  });

  it('sends no events of the other mode or of another account', async () => {
    const stream = await streamEvents(account, '', account.testKey);
    const other = await openAccount(account.service);
    const foreign = [await post(account.live), await post(other.test), await post(other.live)];
    const own = await post(account.test);
    await stream.receives(new RegExp(own));
    expect(foreign.filter((id) => stream.text().includes(id))).to.deep.equal([]);
  });

  it('sends an event again if its deliveries have changed', async () => {
    const fresh = await openAccount(account.service);
    await fresh.live.postJson('/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] });
    const stream = await streamEvents(fresh);
    const id = await post(fresh.live);
    const text = await stream.receives(new RegExp(`${id}.*"status":"retrying"`));
    expect(text).to.contain('connection_refused');
  });

  it('continues after the last event that the client has', async () => {
    const fresh = await openAccount(account.service);
    const stream = await streamEvents(fresh);
    const first = await post(fresh.live);
    await stream.receives(new RegExp(first));
    stream.close();
    const missed = [await post(fresh.live), await post(fresh.live)];
    const again = await open({ ...bearer(fresh.liveKey), 'last-event-id': first });
    for (const id of missed) {
      await again.receives(new RegExp(id));
    }
    expect(again.text()).not.to.contain('event: gap');
  });

  for (const id of ['evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'x']) {
    it(`reports a gap after the unknown event ${id}`, async () => {
      const stream = await open({ ...bearer(account.liveKey), 'last-event-id': id });
      expect(await stream.receives(/event: gap\n/)).to.contain('event: gap\ndata: {}\n\n');
    });
  }

  it('reports a gap after an event of another account', async () => {
    const other = await openAccount(account.service);
    const stream = await open({ ...bearer(account.liveKey), 'last-event-id': await post(other.live) });
    expect(await stream.receives(/event: gap\n/)).to.contain('event: gap');
  });

  it('is limited to five for each account, over all processes', async () => {
    const fresh = await openAccount(account.service);
    const other = await startAnotherApi(account.service);
    try {
      const streams = [];
      for (const at of [address, other.address, address, other.address, address]) {
        streams.push(await open(bearer(fresh.liveKey), '', at));
      }
      const headers = bearer(fresh.testKey);
      const refused = [
        await call(address, '/v1/events/stream', { headers }),
        await call(other.address, '/v1/events/stream', { headers }),
      ];
      streams[1]?.close();
      const next = await eventually('a place', async () => {
        const stream = await open(bearer(fresh.liveKey), '', other.address);
        return stream.status === 200 ? stream : null;
      });
      expect([
        refused.map(refusalOf),
        refused.map((response) => response.headers['retry-after']),
        next.status,
      ]).to.deep.equal([['429 rate_limit_exceeded', '429 rate_limit_exceeded'], ['15', '15'], 200]);
    } finally {
      opened.splice(0).forEach((stream) => {
        stream.close();
      });
      await other.stop();
    }
  });

  it('is limited to five for each tenant, which uses no stream of its account or of another tenant', async () => {
    const fresh = await openAccount(account.service);
    const tokenOf = async (id: string) => (await openPortal(await createTenant(fresh, id))).token;
    const [busy, other] = [await tokenOf('busy'), await tokenOf('other')];
    const statuses = [];
    for (const token of [busy, busy, busy, busy, busy, other, fresh.liveKey]) {
      statuses.push((await open(bearer(token))).status);
    }
    const refused = await call(address, '/v1/events/stream', { headers: bearer(busy) });

    expect([statuses, refusalOf(refused)]).to.deep.equal([
      Array.from({ length: 7 }, () => 200),
      '429 rate_limit_exceeded',
    ]);
  });

  it('does not count a HEAD request', async () => {
    const fresh = await openAccount(account.service);
    const headers = bearer(fresh.liveKey);
    const statuses = [];
    for (let count = 0; count < 7; count += 1) {
      await eventually('a place', async () => {
        const { status } = await call(address, '/v1/events/stream', { method: 'HEAD', headers });
        statuses.push(status);
        return status === 200 ? true : null;
      });
    }
    expect((await open(headers)).status).to.equal(200);
  });

  it('ends if its key is deleted', async () => {
    const { id, secret } = await addApiKey(account, { mode: 'live' });
    const stream = await open(bearer(secret));
    await deleteApiKey(account, id);
    expect(await stream.ended).to.equal('complete');
  });

  it('ends if its session ends', async () => {
    const fresh = await openAccount(account.service);
    const person = await openUser(fresh, await openOwner(fresh), 'viewer');
    const stream = await open({ cookie: person.cookie });
    await person.send('DELETE', '/v1/session');
    expect(await stream.ended).to.equal('complete');
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

  it('sends a comment every 15 seconds if there are no events', async () => {
    expect(await quiet.receives(/: heartbeat\n\n/)).to.contain(': heartbeat');
  });
});
