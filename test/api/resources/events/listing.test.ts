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

const refusedQueries: readonly [query: string, apiError: string][] = [
  ['?limit=0', '400 parameter_invalid limit'],
  ['?limit=101', '400 parameter_invalid limit'],
  ['?limit=999', '400 parameter_invalid limit'],
  ['?limit=1000', '400 parameter_invalid limit'],
  ['?limit=-1', '400 parameter_invalid limit'],
  ['?limit=', '400 parameter_invalid limit'],
  ['?limit', '400 parameter_invalid limit'],
  ['?limit=1.5', '400 parameter_invalid limit'],
  ['?limit=1e1', '400 parameter_invalid limit'],
  ['?limit=0x1', '400 parameter_invalid limit'],
  ['?limit=+1', '400 parameter_invalid limit'],
  ['?limit=%201', '400 parameter_invalid limit'],
  ['?limit=1%0A', '400 parameter_invalid limit'],
  ['?limit=01', '400 parameter_invalid limit'],
  ['?limit=ten', '400 parameter_invalid limit'],
  ['?limit=%D9%A1', '400 parameter_invalid limit'],
  ['?limit=1&limit=1', '400 parameter_invalid limit'],
  ['?limit[]=1', '400 parameter_unknown limit[]'],
  ['?Limit=1', '400 parameter_unknown Limit'],
  ['?page=1', '400 parameter_unknown page'],
  ['?offset=1', '400 parameter_unknown offset'],
  ['?=1', '400 parameter_unknown '],
  ['?__proto__=1', '400 parameter_unknown __proto__'],
  ['?constructor=1', '400 parameter_unknown constructor'],
  ['?accountId=acct_1', '400 parameter_unknown accountId'],
  ['?mode=test', '400 parameter_unknown mode'],
  ['?status=active', '400 parameter_unknown status'],
  ['?type=', '400 event_type_invalid type'],
  ['?type=*', '400 event_type_invalid type'],
  ['?type=a&type=*', '400 event_type_invalid type'],
  ['?type=.*', '400 event_type_invalid type'],
  ['?type=a*', '400 event_type_invalid type'],
  ['?type=a..b', '400 event_type_invalid type'],
  ['?type=a&type=b%20c', '400 event_type_invalid type'],
  ['?type=a,b', '400 event_type_invalid type'],
  [`?${'type=a&'.repeat(101)}`, '400 parameter_invalid type'],
  ['?createdGte=', '400 parameter_invalid createdGte'],
  ['?createdGte=yesterday', '400 parameter_invalid createdGte'],
  ['?createdGte=1700000000', '400 parameter_invalid createdGte'],
  ['?createdGt=2026-11-20', '400 parameter_invalid createdGt'],
  ['?createdLte=2026-13-20T00:00:00Z', '400 parameter_invalid createdLte'],
  ['?createdLt=2026-02-30T00:00:00Z', '400 parameter_invalid createdLt'],
  ['?createdLt=2026-11-20T11:02:03', '400 parameter_invalid createdLt'],
  ['?createdGte=2026-11-20T00:00:00Z&createdGte=2026-11-20T00:00:00Z', '400 parameter_invalid createdGte'],
  ['?webhookId=', '400 parameter_invalid webhookId'],
  ['?webhookId=wh_1', '400 parameter_invalid webhookId'],
  ['?webhookId=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 parameter_invalid webhookId'],
  [`?${'webhookId=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ&'.repeat(2)}`, '400 parameter_invalid webhookId'],
  ['?webhookId[$ne]=', '400 parameter_unknown webhookId[$ne]'],
  ['?deliveryStatus=', '400 parameter_invalid deliveryStatus'],
  ['?deliveryStatus=Delivered', '400 parameter_invalid deliveryStatus'],
  ['?deliveryStatus=succeeded', '400 parameter_invalid deliveryStatus'],
  ['?deliveryStatus=failed&deliveryStatus=succeeded', '400 parameter_invalid deliveryStatus'],
  [`?${'deliveryStatus=failed&'.repeat(6)}`, '400 parameter_invalid deliveryStatus'],
  ['?statusCode=', '400 parameter_invalid statusCode'],
  ['?statusCode=600', '400 parameter_invalid statusCode'],
  ['?statusCode=2xx', '400 parameter_invalid statusCode'],
  ['?statusCode=500&statusCode=503', '400 parameter_invalid statusCode'],
  ['?errorCode=', '400 parameter_invalid errorCode'],
  ['?errorCode=unknown', '400 parameter_invalid errorCode'],
  ['?errorCode=timeout&errorCode=timeout', '400 parameter_invalid errorCode'],
  ['?fields=', '400 parameter_invalid fields'],
  ['?fields=id', '400 parameter_invalid fields'],
  ['?fields=summary&fields=summary', '400 parameter_invalid fields'],
  ['?search=', '400 parameter_invalid search'],
  ['?search=ab', '400 parameter_invalid search'],
  ['?search=%F0%9F%98%80%F0%9F%98%80', '400 parameter_invalid search'],
  [`?search=${'a'.repeat(201)}`, '400 parameter_invalid search'],
  ['?search=abc&search=abc', '400 parameter_invalid search'],
  ['?startingAfter=', '400 cursor_invalid startingAfter'],
  ['?startingAfter=evt_1', '400 cursor_invalid startingAfter'],
  ['?startingAfter=meta', '400 cursor_invalid startingAfter'],
  ['?startingAfter=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
  ['?endingBefore=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid endingBefore'],
  ['?endingBefore=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid endingBefore'],
  ['?startingAfter=evt_1&startingAfter=evt_1', '400 parameter_invalid startingAfter'],
  ['?startingAfter=evt_1&endingBefore=evt_1', '400 parameter_invalid endingBefore'],
];

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

  it('returns all events if they are fewer than the limit, and reports no more', async () => {
    const { data, hasMore } = read(await account.live.get('/v1/events?limit=100'), eventListSchema);
    expect([data.length, hasMore]).to.deep.equal([25, false]);
  });

  for (const [limit, more] of [
    [1, true],
    [24, true],
    [25, false],
    [26, false],
  ] as const) {
    it(`reports ${more ? '' : 'no '}more events for a limit of ${limit}`, async () => {
      const { hasMore } = read(await account.live.get(`/v1/events?limit=${limit}`), eventListSchema);
      expect(hasMore).to.equal(more);
    });
  }

  it('returns each event once on consecutive pages', async () => {
    expect(await walk(account.live, 'limit=4', 'startingAfter')).to.deep.equal(ids);
  });

  it('returns each event once on consecutive pages from the oldest to the newest', async () => {
    const oldest = ids.at(-1) ?? '';
    const walked = await walk(account.live, 'limit=4', 'endingBefore', oldest);
    expect([...walked].sort()).to.deep.equal(ids.slice(0, -1).toSorted());
  });

  it('returns the page directly before a cursor, newest first', async () => {
    expect(await eventIdsOf(account.live, `?limit=3&endingBefore=${ids[10]}`)).to.deep.equal(
      ids.slice(7, 10),
    );
  });

  it('reports no newer events before the newest', async () => {
    const response = await account.live.get(`/v1/events?endingBefore=${ids[0]}`);
    expect(read(response, eventListSchema)).to.deep.equal({ data: [], hasMore: false });
  });

  it('returns nothing after the oldest event', async () => {
    const response = await account.live.get(`/v1/events?startingAfter=${ids.at(-1)}`);
    expect(read(response, eventListSchema)).to.deep.equal({ data: [], hasMore: false });
  });

  it('returns an event in the form of GET /v1/events/{id}', async () => {
    await takenUpEvent(account.live, ids[0] ?? '');
    const list = await account.live.get('/v1/events?limit=1');
    const event = await account.live.get(`/v1/events/${ids[0]}`);
    expect(list.text).to.equal(`{"data":[${event.text}],"hasMore":true}`);
  });
});

describe('the filters of GET /v1/events', () => {
  let account: TestAccount;
  let ids: readonly string[];
  before(async () => {
    account = await openAccount();
    ids = await postMany(account.live);
  });

  it('select the events of a type', async () => {
    const list = read(await account.live.get('/v1/events?type=a&limit=100'), eventListSchema);
    expect(list.data.map(({ type }) => type)).to.deep.equal(Array.from({ length: 13 }, () => 'a'));
  });

  it('select the events of several types', async () => {
    expect(await eventIdsOf(account.live, '?type=a&type=b&limit=100')).to.deep.equal(ids);
  });

  it('select the events of all types below a prefix, and no others', async () => {
    const { live } = await openAccount();
    const posted = await Promise.all(
      ['order', 'order.completed', 'order.item.added', 'orders.x', 'order_x', 'user.signup'].map((type) =>
        postEvent(live, type),
      ),
    );
    await eventIdsOf(live, '?limit=100', posted.length);
    const listed = read(await live.get('/v1/events?type=order.*&limit=100'), eventListSchema);
    const both = read(await live.get('/v1/events?type=order.item.*&type=user.signup'), eventListSchema);
    expect([listed, both].map(({ data }) => data.map(({ type }) => type).toSorted())).to.deep.equal([
      ['order.completed', 'order.item.added'],
      ['order.item.added', 'user.signup'],
    ]);
  });

  it('select nothing for a prefix without events', async () => {
    expect(await eventIdsOf(account.live, '?type=none.*')).to.deep.equal([]);
  });

  it('select nothing for a type without events', async () => {
    expect(await eventIdsOf(account.live, '?type=nobody')).to.deep.equal([]);
  });

  it('select the same events on consecutive pages', async () => {
    const filtered = await eventIdsOf(account.live, '?type=b&limit=100');
    expect(await walk(account.live, 'limit=5&type=b', 'startingAfter')).to.deep.equal(filtered);
  });

  const bounds: readonly [parameter: string, fits: (created: number, bound: number) => boolean][] = [
    ['createdGte', (created, bound) => created >= bound],
    ['createdGt', (created, bound) => created > bound],
    ['createdLte', (created, bound) => created <= bound],
    ['createdLt', (created, bound) => created < bound],
  ];
  for (const [parameter, fits] of bounds) {
    it(`select the events within ${parameter}`, async () => {
      const bound = identifierTime(ids[12] ?? '');
      const expected = ids.filter((id) => fits(identifierTime(id).getTime(), bound.getTime()));
      const found = await eventIdsOf(account.live, `?limit=100&${parameter}=${bound.toISOString()}`);
      expect(found).to.deep.equal(expected);
    });
  }

  const betweenMilliseconds: readonly [parameter: string, isListed: boolean][] = [
    ['createdGte', false],
    ['createdGt', false],
    ['createdLte', true],
    ['createdLt', true],
  ];
  for (const [parameter, isListed] of betweenMilliseconds) {
    it(`distinguish a ${parameter} that is a microsecond after an event`, async () => {
      const id = ids[12] ?? '';
      const later = identifierTime(id).toISOString().replace('Z', '001Z');
      const found = await eventIdsOf(account.live, `?limit=100&${parameter}=${later}`);
      expect(found.includes(id)).to.equal(isListed);
    });
  }

  it('select the events between two times', async () => {
    const [since, until] = [identifierTime(ids[20] ?? ''), identifierTime(ids[5] ?? '')];
    const query = `?limit=100&createdGte=${since.toISOString()}&createdLt=${until.toISOString()}`;
    const expected = ids.filter((id) => identifierTime(id) >= since && identifierTime(id) < until);
    expect(await eventIdsOf(account.live, query)).to.deep.equal(expected);
  });

  it('select no events of another account', async () => {
    expect(await eventIdsOf((await openAccount()).live)).to.deep.equal([]);
  });

  it('select no events of the other mode', async () => {
    expect(await eventIdsOf(account.test)).to.deep.equal([]);
  });

  it('select test events for a test key', async () => {
    const { id } = await postEvent(account.test);
    expect(await eventIdsOf(account.test, '', 1)).to.deep.equal([id]);
  });

  it('reject an event of another account as a cursor', async () => {
    const { id } = await postEvent((await openAccount()).live);
    const response = await account.live.get(`/v1/events?startingAfter=${id}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid startingAfter');
  });

  it('reject an event of the other mode as a cursor', async () => {
    const { id } = await postEvent((await openAccount()).live);
    const response = await account.test.get(`/v1/events?endingBefore=${id}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid endingBefore');
  });

  it('accept an event as a cursor right after its creation', async () => {
    const fresh = await openAccount();
    const { id } = await postEvent(fresh.live);
    expect((await fresh.live.get(`/v1/events?startingAfter=${id}`)).status).to.equal(200);
  });

  for (const [query, apiError] of refusedQueries) {
    it(`reject ${query.slice(0, 80)}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/events${query}`))).to.equal(apiError);
    });
  }
});

/** The ids on consecutive pages, in their order. */
async function walk(
  client: Client,
  query: string,
  parameter: 'startingAfter' | 'endingBefore',
  from?: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor = from;
  for (;;) {
    const position = cursor === undefined ? '' : `&${parameter}=${cursor}`;
    const response = await client.get(`/v1/events?${query}${position}`);
    const { data, hasMore } = read(response, eventListSchema);
    const page = data.map(({ id }) => id);
    ids.push(...page);
    cursor = parameter === 'startingAfter' ? page.at(-1) : page[0];
    if (!hasMore) {
      return ids;
    }
  }
}
