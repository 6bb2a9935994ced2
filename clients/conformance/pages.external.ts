import { expect } from 'chai';

import type { Client } from '../../test/support/client.js';
import { eventually } from '../../test/support/eventually.js';
import { after, changed, cutBody, dropBefore } from './support/faults.js';
import { testLibraries } from './support/testLibraries.js';

const count = 23;

const post = async (client: Client, type: string, data = {}) =>
  String((await client.post('/v1/events', { type, data })).body['id']);

/** Posts events, and returns their ids, newest first, as soon as the list has them. */
async function listed(client: Client, type: string, number: number, data = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let posted = 0; posted < number; posted++) {
    ids.unshift(await post(client, type, data));
  }
  return eventually('the list of all events', async () => {
    const { body } = await client.get(`/v1/events?type=${type}&limit=1`);
    const { hasMore, data: newest } = body as { hasMore: boolean; data: { id: string }[] };
    const all = await Promise.all(
      ids.map((id) => client.get(`/v1/events?type=${type}&limit=1&startingAfter=${id}`)),
    );
    const isComplete = all.every((page, index) => listedFirst(page.body) === ids[index + 1]);
    return hasMore && newest[0]?.id === ids[0] && isComplete ? ids : null;
  });
}

const listedFirst = (body: Readonly<Record<string, unknown>>) =>
  (body as { data: { id: string }[] }).data[0]?.id;

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

testLibraries('pages', (bench) => {
  const type = 'pages.counted';
  let ids: readonly string[];
  before(async () => {
    ids = await listed(bench().client, type, count);
  });

  it('have each item once, in order', async () => {
    const { driver, proxy, settings } = bench();
    proxy.plan();
    const { items } = await driver.call('events.listAll', { type, limit: 5 }, settings);
    expect(idsOf(items)).to.deep.equal(ids);
    expect(proxy.requests).to.have.lengthOf(5);
  });

  it('have each item once if events are created meanwhile and connections are lost', async () => {
    const { client, driver, proxy, settings } = bench();
    const create = after(() => Promise.all([post(client, type), post(client, type)]));
    proxy.plan(create, dropBefore, create, cutBody, create);
    const { items } = await driver.call('events.listAll', { type, limit: 5 }, settings);
    // Those of before are a block. Events that were created before the first page may precede it.
    const found = idsOf(items);
    expect(found.slice(found.indexOf(ids[0] ?? ''))).to.deep.equal(ids);
    expect(new Set(found)).to.have.lengthOf(found.length);
    expect(proxy.failures).to.deep.equal([]);
  });

  it('can be read one by one, in both directions', async () => {
    const { driver, settings } = bench();
    const [, , third = '', , , sixth = ''] = ids;
    const older = await driver.call('events.list', { type, limit: 3, startingAfter: third }, settings);
    expect([idsOf(older.items), older.hasMore]).to.deep.equal([ids.slice(3, 6), true]);
    const newer = await driver.call('events.list', { type, limit: 3, endingBefore: sixth }, settings);
    expect([idsOf(newer.items), newer.hasMore]).to.deep.equal([ids.slice(2, 5), true]);
    const last = await driver.call('events.list', { type, startingAfter: ids.at(-3) ?? '' }, settings);
    expect([idsOf(last.items), last.hasMore]).to.deep.equal([ids.slice(-2), false]);
  });

  it('may end early', async () => {
    const { client, driver, proxy, settings } = bench();
    const large = await listed(client, 'pages.large', 12, { text: 'x'.repeat(200 * 1024) });
    proxy.plan();
    const { items } = await driver.call('events.listAll', { type: 'pages.large', limit: 100 }, settings);
    expect(idsOf(items)).to.deep.equal(large);
    expect(proxy.requests).to.have.lengthOf.above(1);
  });

  it('may be empty before the end, if the service has searched for too long', async () => {
    const { driver, proxy, settings } = bench();
    const cursor = ids[9] ?? '';
    const times = { from: null, to: null, complete: false };
    proxy.plan(changed(() => JSON.stringify({ data: [], hasMore: true, searched: { ...times, cursor } })));
    const { items } = await driver.call('events.listAll', { type, limit: 100 }, settings);
    expect(idsOf(items)).to.deep.equal(ids.slice(10));
  });

  it('of webhooks have each webhook once', async () => {
    const { client, driver, proxy, settings } = bench();
    expect(await driver.call('webhooks.listAll', {}, settings)).to.deep.equal({ items: [] });
    const created: string[] = [];
    for (const path of ['a', 'b', 'c', 'd', 'e']) {
      const { body } = await client.post('/v1/webhooks', {
        url: `https://example.com/${path}`,
        events: ['*'],
      });
      created.unshift(String(body['id']));
    }
    proxy.plan();
    const { items } = await driver.call('webhooks.listAll', { limit: 2 }, settings);
    expect(idsOf(items)).to.deep.equal(created);
    expect(proxy.requests).to.have.lengthOf(3);
    const page = await driver.call('webhooks.list', { limit: 2 }, settings);
    expect([idsOf(page.items), page.hasMore]).to.deep.equal([created.slice(0, 2), true]);
  });
});
