import { expect } from 'chai';

import { eventListSchema } from '../../../../api/resources/events/routes.js';
import { identifierTime } from '../../../../shared/domain/core/identifiers.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { eventIdsOf, postEvent, takenUpEvent } from '../../support/events.js';

/** Posts 25 events of alternating types, and returns their ids in the order of a list: newest first. */
async function postMany(client: Client): Promise<readonly string[]> {
  const posted: string[] = [];
  for (let number = 0; number < 25; number += 1) {
    posted.push((await postEvent(client, number % 2 === 0 ? 'a' : 'b')).id);
  }
  await eventIdsOf(client, '?limit=100', posted.length);
  // Ids of one millisecond are not ordered by their creation.
  const times = posted.map((id) => [identifierTime(id).getTime(), id] as const);
  return times.sort(([t1, a], [t2, b]) => t2 - t1 || (a < b ? 1 : -1)).map(([, id]) => id);
}

describe('GET /v1/events', () => {
  let account: TestAccount;
  let ids: readonly string[];
  before(async () => {
    account = await openAccount();
    ids = await postMany(account.live);
  });

  it('returns the newest twenty events by default', async () => {
    expect(await eventIdsOf(account.live)).to.deep.equal(ids.slice(0, 20));
  });

  it('returns pages after and before a cursor, newest first, and reports whether there are more events', async () => {
    for (const [query, from, to, more] of [
      ['limit=24', 0, 24, true],
      ['limit=25', 0, 25, false],
      [`limit=3&startingAfter=${ids[10]}`, 11, 14, true],
      [`limit=3&endingBefore=${ids[10]}`, 7, 10, true],
      [`startingAfter=${ids[24]}`, 25, 25, false],
      [`endingBefore=${ids[0]}`, 0, 0, false],
    ] as const) {
      const { data, hasMore } = read(await account.live.get(`/v1/events?${query}`), eventListSchema);
      expect([data.map(({ id }) => id), hasMore], query).to.deep.equal([ids.slice(from, to), more]);
    }
  });

  it('returns an event in the form of GET /v1/events/{id}', async () => {
    await takenUpEvent(account.live, ids[0] ?? '');
    const list = await account.live.get('/v1/events?limit=1');
    const event = await account.live.get(`/v1/events/${ids[0]}`);
    expect(list.text).to.equal(`{"data":[${event.text}],"hasMore":true}`);
  });

  it('selects the events of all types below a prefix, and no others', async () => {
    const { live } = await openAccount();
    const posted = await Promise.all(
      ['order', 'order.completed', 'order.item.added', 'orders.x', 'order_x', 'user.signup'].map((type) =>
        postEvent(live, type),
      ),
    );
    await eventIdsOf(live, '?limit=100', posted.length);
    const listed = read(await live.get('/v1/events?type=order.*&limit=100'), eventListSchema);
    const both = read(await live.get('/v1/events?type=order.item.*&type=user.signup'), eventListSchema);
    expect(await eventIdsOf(live, '?type=none.*')).to.deep.equal([]);
    expect([listed, both].map(({ data }) => data.map(({ type }) => type).toSorted())).to.deep.equal([
      ['order.completed', 'order.item.added'],
      ['order.item.added', 'user.signup'],
    ]);
  });

  const bounds: readonly [parameter: string, fits: (created: number, bound: number) => boolean][] = [
    ['createdGte', (created, bound) => created >= bound],
    ['createdGt', (created, bound) => created > bound],
    ['createdLte', (created, bound) => created <= bound],
    ['createdLt', (created, bound) => created < bound],
  ];
  it('selects the events within a bound, to the microsecond', async () => {
    const id = ids[12] ?? '';
    const bound = identifierTime(id);
    const later = bound.toISOString().replace('Z', '001Z');
    for (const [parameter, fits] of bounds) {
      const expected = ids.filter((each) => fits(identifierTime(each).getTime(), bound.getTime()));
      const found = await eventIdsOf(account.live, `?limit=100&${parameter}=${bound.toISOString()}`);
      expect(found, parameter).to.deep.equal(expected);
      const ofLater = await eventIdsOf(account.live, `?limit=100&${parameter}=${later}`);
      expect(ofLater.includes(id), parameter).to.equal(parameter.startsWith('createdL'));
    }
  });

  it('selects no events of another account or of the other mode, which are no cursors either', async () => {
    const other = await openAccount();
    expect([await eventIdsOf(other.live), await eventIdsOf(account.test)]).to.deep.equal([[], []]);
    const { id } = await postEvent(account.test);
    expect(await eventIdsOf(account.test, '', 1)).to.deep.equal([id]);
    for (const cursor of [id, (await postEvent(other.live)).id]) {
      const response = await account.live.get(`/v1/events?startingAfter=${cursor}`);
      expect(refusalOf(response)).to.equal('400 cursor_invalid startingAfter');
    }
  });

  it('accepts an event as a cursor right after its creation', async () => {
    const fresh = await openAccount();
    const { id } = await postEvent(fresh.live);
    expect((await fresh.live.get(`/v1/events?startingAfter=${id}`)).status).to.equal(200);
  });

  it('validates the query and the cursors', async () => {
    for (const [query, refusal] of [
      ['?limit', '400 parameter_invalid limit'],
      ['?createdGte=yesterday', '400 parameter_invalid createdGte'],
      ['?startingAfter=', '400 cursor_invalid startingAfter'],
      ['?startingAfter=meta', '400 cursor_invalid startingAfter'],
      ['?startingAfter=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
      ['?endingBefore=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid endingBefore'],
      ['?startingAfter=evt_1&startingAfter=evt_1', '400 parameter_invalid startingAfter'],
      ['?startingAfter=evt_1&endingBefore=evt_1', '400 parameter_invalid endingBefore'],
    ] as const) {
      expect(refusalOf(await account.live.get(`/v1/events${query}`)), query).to.equal(refusal);
    }
  });
});
