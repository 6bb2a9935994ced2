import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../api/events/schemas.js';
import { identifierTime, isIdentifier } from '../../../shared/domain/identifiers.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { read, refusalOf, type Client } from '../support/client.js';

async function postEvent(client: Client, type = 'order.completed', data: unknown = {}) {
  return read(await client.postJson('/v1/events', { type, data }), eventSchema);
}

/** The ids of a list, read by the given query once it holds so many. */
async function idsOf(client: Client, query = '', atLeast = 0): Promise<readonly string[]> {
  return eventually(`a list of ${atLeast}`, async () => {
    const { data } = read(await client.get(`/v1/events${query}`), eventListSchema);
    return data.length >= atLeast ? data.map(({ id }) => id) : null;
  });
}

const validTypes = ['a', 'A', '_', '0', 'order.completed', 'user.signup', 'a.b.c.d', '1.2', '__', 'a'.repeat(128), 'a.'.repeat(63) + 'ab'];
const invalidTypes = [
  '',
  '.',
  '..',
  'a.',
  '.a',
  'a..b',
  'a b',
  ' a',
  'a ',
  'a\n',
  'a-b',
  'a/b',
  'a:b',
  'a*',
  '*',
  'order.*',
  'é',
  'ａ',
  'a\u0000',
  'a\u200b',
  '😀',
  '\ud800',
  'a'.repeat(129),
  'a.'.repeat(64) + 'a',
];

const refusedBodies: readonly [what: string, body: unknown, refusal: string][] = [
  ['no type', { data: {} }, '400 parameter_missing type'],
  ['no data', { type: 'a' }, '400 parameter_missing data'],
  ['nothing', {}, '400 parameter_missing type'],
  ['a number for type', { type: 1, data: {} }, '400 parameter_invalid type'],
  ['null for type', { type: null, data: {} }, '400 parameter_invalid type'],
  ['a list for type', { type: ['a'], data: {} }, '400 parameter_invalid type'],
  ['an object for type', { type: { $ne: null }, data: {} }, '400 parameter_invalid type'],
  ['a text for data', { type: 'a', data: '{}' }, '400 parameter_invalid data'],
  ['a number for data', { type: 'a', data: 1 }, '400 parameter_invalid data'],
  ['a list for data', { type: 'a', data: [] }, '400 parameter_invalid data'],
  ['null for data', { type: 'a', data: null }, '400 parameter_invalid data'],
  ['true for data', { type: 'a', data: true }, '400 parameter_invalid data'],
  ['a field too many', { type: 'a', data: {}, extra: 1 }, '400 parameter_unknown extra'],
  ['an id', { type: 'a', data: {}, id: 'evt_1' }, '400 parameter_unknown id'],
  ['a mode', { type: 'a', data: {}, mode: 'live' }, '400 parameter_unknown mode'],
  ['a field in another case', { Type: 'a', type: 'a', data: {} }, '400 parameter_unknown Type'],
  ['a field without a name', { type: 'a', data: {}, '': 1 }, '400 parameter_unknown '],
];

describe('api/events/handlers: creating', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers 201 with the event', async () => {
    const response = await account.live.postJson('/v1/events', { type: 'order.completed', data: { amount: 1 } });
    const { id, created, ...event } = read(response, eventSchema);
    expect([response.status, event]).to.deep.equal([
      201,
      { type: 'order.completed', data: { amount: 1 }, deliveries: [], mode: 'live' },
    ]);
  });

  it('gives it an id of its own', async () => {
    expect(isIdentifier('evt', (await postEvent(account.live)).id)).to.equal(true);
  });

  it('gives it the time that is in its id', async () => {
    const { id, created } = await postEvent(account.live);
    expect(created).to.equal(identifierTime(id).toISOString());
  });

  it('says where it can be read', async () => {
    const response = await account.live.postJson('/v1/events', { type: 'a', data: {} });
    expect(response.headers.location).to.equal(`/v1/events/${read(response, eventSchema).id}`);
  });

  it('can be read right after, each of many at once', async () => {
    const events = await Promise.all(Array.from({ length: 50 }, () => postEvent(account.live)));
    const found = await Promise.all(events.map(({ id }) => account.live.get(`/v1/events/${id}`)));
    expect(found.map(({ status }) => status)).to.deep.equal(found.map(() => 200));
  });

  for (const type of validTypes) {
    it(`takes the type ${type.slice(0, 40)} of ${type.length} characters`, async () => {
      expect((await postEvent(account.live, type)).type).to.equal(type);
    });
  }

  for (const type of invalidTypes) {
    it(`refuses the type ${JSON.stringify(type.slice(0, 40))} of ${type.length} characters`, async () => {
      const response = await account.live.postJson('/v1/events', { type, data: {} });
      expect(refusalOf(response)).to.equal('400 event_type_invalid type');
    });
  }

  for (const [what, body, refusal] of refusedBodies) {
    it(`refuses ${what}`, async () => {
      expect(refusalOf(await account.live.postJson('/v1/events', body))).to.equal(refusal);
    });
  }

  it('refuses a query parameter', async () => {
    const response = await account.live.postJson('/v1/events?dryRun=true', { type: 'a', data: {} });
    expect(refusalOf(response)).to.equal('400 parameter_unknown dryRun');
  });
});

describe('api/events/handlers: retrieving', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('gives the event as it was answered when it was created', async () => {
    const created = await account.live.post('/v1/events', '{"type":"a","data":{"b":1.0,"a":[ ]}}');
    const { id } = read(created, eventSchema);
    expect((await account.live.get(`/v1/events/${id}`)).text).to.equal(created.text);
  });

  it('does not find an id that was never given', async () => {
    const response = await account.live.get('/v1/events/evt_01HZZZZZZZZZZZZZZZZZZZZZZZ');
    expect(refusalOf(response)).to.equal('404 resource_missing');
  });

  it('does not find an event of another account', async () => {
    const { id } = await postEvent((await openAccount()).live);
    expect(refusalOf(await account.live.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('does not find a live event with a test key', async () => {
    const { id } = await postEvent(account.live);
    expect(refusalOf(await account.test.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('does not find a test event with a live key', async () => {
    const { id } = await postEvent(account.test);
    expect(refusalOf(await account.live.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('says of a test event that it is one', async () => {
    const { id } = await postEvent(account.test);
    expect(read(await account.test.get(`/v1/events/${id}`), eventSchema).mode).to.equal('test');
  });

  it('shows a delivery once it was made', async () => {
    const receiver = await startReceiver();
    try {
      const webhook = await account.live.postJson('/v1/webhooks', { url: receiver.url, events: ['shown'] });
      const { id } = await postEvent(account.live, 'shown');
      const [delivery] = await eventually('the delivery is shown', async () => {
        const { deliveries } = read(await account.live.get(`/v1/events/${id}`), eventSchema);
        return deliveries.length === 0 ? null : deliveries;
      });
      const { deliveredAt, ...rest } = delivery ?? {};
      expect([webhook.status, rest]).to.deep.equal([
        201,
        {
          webhookId: String(webhook.headers.location).replace('/v1/webhooks/', ''),
          status: 'delivered',
          statusCode: 200,
          attemptCount: 1,
          nextAttemptAt: null,
          error: null,
        },
      ]);
    } finally {
      await receiver.close();
    }
  });
});

const refusedQueries: readonly [query: string, refusal: string][] = [
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
  ['?startingAfter=', '400 cursor_invalid startingAfter'],
  ['?startingAfter=evt_1', '400 cursor_invalid startingAfter'],
  ['?startingAfter=meta', '400 cursor_invalid startingAfter'],
  ['?startingAfter=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid startingAfter'],
  ['?endingBefore=evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid endingBefore'],
  ['?endingBefore=wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', '400 cursor_invalid endingBefore'],
  ['?startingAfter=evt_1&startingAfter=evt_1', '400 parameter_invalid startingAfter'],
  ['?startingAfter=evt_1&endingBefore=evt_1', '400 parameter_invalid endingBefore'],
];

describe('api/events/handlers: listing', () => {
  let account: TestAccount;
  /** Newest first, as lists are: 25 of type a and b by turns. */
  let ids: readonly string[];
  before(async () => {
    account = await openAccount();
    const posted: string[] = [];
    for (let number = 0; number < 25; number += 1) {
      posted.push((await postEvent(account.live, number % 2 === 0 ? 'a' : 'b')).id);
    }
    await idsOf(account.live, '?limit=100', posted.length);
    // Ids of one millisecond are in no order of their own.
    const times = posted.map((id) => [identifierTime(id).getTime(), id] as const);
    ids = times.sort(([t1, a], [t2, b]) => t2 - t1 || (a < b ? 1 : -1)).map(([, id]) => id);
  });

  it('gives the newest twenty where no limit is given', async () => {
    expect(await idsOf(account.live)).to.deep.equal(ids.slice(0, 20));
  });

  it('gives all where there are fewer than the limit, and says that there are no more', async () => {
    const { data, hasMore } = read(await account.live.get('/v1/events?limit=100'), eventListSchema);
    expect([data.length, hasMore]).to.deep.equal([25, false]);
  });

  for (const [limit, more] of [
    [1, true],
    [24, true],
    [25, false],
    [26, false],
  ] as const) {
    it(`says for a limit of ${limit} that there are ${more ? '' : 'no '}more`, async () => {
      const { hasMore } = read(await account.live.get(`/v1/events?limit=${limit}`), eventListSchema);
      expect(hasMore).to.equal(more);
    });
  }

  it('gives each event once to a walk of pages', async () => {
    expect(await walk(account.live, 'startingAfter', 4)).to.deep.equal(ids);
  });

  it('gives each event once to a walk of pages back from the oldest', async () => {
    const oldest = ids.at(-1) ?? '';
    const walked = await walk(account.live, 'endingBefore', 4, oldest);
    expect([...walked].sort()).to.deep.equal(ids.slice(0, -1).toSorted());
  });

  it('gives the page just before a cursor, newest first', async () => {
    expect(await idsOf(account.live, `?limit=3&endingBefore=${ids[10]}`)).to.deep.equal(ids.slice(7, 10));
  });

  it('says that there are no newer ones before the newest', async () => {
    const response = await account.live.get(`/v1/events?endingBefore=${ids[0]}`);
    expect(read(response, eventListSchema)).to.deep.equal({ data: [], hasMore: false });
  });

  it('gives nothing behind the oldest', async () => {
    const response = await account.live.get(`/v1/events?startingAfter=${ids.at(-1)}`);
    expect(read(response, eventListSchema)).to.deep.equal({ data: [], hasMore: false });
  });

  it('gives an event as its own path does', async () => {
    const list = await account.live.get('/v1/events?limit=1');
    const event = await account.live.get(`/v1/events/${ids[0]}`);
    expect(list.text).to.equal(`{"data":[${event.text}],"hasMore":true}`);
  });

  it('gives those of a type', async () => {
    const list = read(await account.live.get('/v1/events?type=a&limit=100'), eventListSchema);
    expect(list.data.map(({ type }) => type)).to.deep.equal(Array.from({ length: 13 }, () => 'a'));
  });

  it('gives those of several types', async () => {
    expect(await idsOf(account.live, '?type=a&type=b&limit=100')).to.deep.equal(ids);
  });

  it('gives none of a type that none has', async () => {
    expect(await idsOf(account.live, '?type=nobody')).to.deep.equal([]);
  });

  it('walks also with a filter', async () => {
    const filtered = await idsOf(account.live, '?type=b&limit=100');
    expect(await walk(account.live, 'startingAfter', 5, undefined, '&type=b')).to.deep.equal(filtered);
  });

  const bounds: readonly [parameter: string, fits: (created: number, bound: number) => boolean][] = [
    ['createdGte', (created, bound) => created >= bound],
    ['createdGt', (created, bound) => created > bound],
    ['createdLte', (created, bound) => created <= bound],
    ['createdLt', (created, bound) => created < bound],
  ];
  for (const [parameter, fits] of bounds) {
    it(`gives those within ${parameter}`, async () => {
      const bound = identifierTime(ids[12] ?? '');
      const expected = ids.filter((id) => fits(identifierTime(id).getTime(), bound.getTime()));
      const found = await idsOf(account.live, `?limit=100&${parameter}=${bound.toISOString()}`);
      expect(found).to.deep.equal(expected);
    });
  }

  it('gives those between two times', async () => {
    const [since, until] = [identifierTime(ids[20] ?? ''), identifierTime(ids[5] ?? '')];
    const query = `?limit=100&createdGte=${since.toISOString()}&createdLt=${until.toISOString()}`;
    const expected = ids.filter((id) => identifierTime(id) >= since && identifierTime(id) < until);
    expect(await idsOf(account.live, query)).to.deep.equal(expected);
  });

  it('gives none of another account', async () => {
    expect(await idsOf((await openAccount()).live)).to.deep.equal([]);
  });

  it('gives none of the other mode', async () => {
    expect(await idsOf(account.test)).to.deep.equal([]);
  });

  it('gives test events to a test key', async () => {
    const { id } = await postEvent(account.test);
    expect(await idsOf(account.test, '', 1)).to.deep.equal([id]);
  });

  it('takes no event of another account for a cursor', async () => {
    const { id } = await postEvent((await openAccount()).live);
    const response = await account.live.get(`/v1/events?startingAfter=${id}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid startingAfter');
  });

  it('takes no event of the other mode for a cursor', async () => {
    const { id } = await postEvent((await openAccount()).live);
    const response = await account.test.get(`/v1/events?endingBefore=${id}`);
    expect(refusalOf(response)).to.equal('400 cursor_invalid endingBefore');
  });

  it('takes an event for a cursor right after it was created', async () => {
    const fresh = await openAccount();
    const { id } = await postEvent(fresh.live);
    expect((await fresh.live.get(`/v1/events?startingAfter=${id}`)).status).to.equal(200);
  });

  for (const [query, refusal] of refusedQueries) {
    it(`refuses ${query.slice(0, 80)}`, async () => {
      expect(refusalOf(await account.live.get(`/v1/events${query}`))).to.equal(refusal);
    });
  }
});

/** All ids that a walk of pages meets, in its order. */
async function walk(
  client: Client,
  parameter: 'startingAfter' | 'endingBefore',
  limit: number,
  from?: string,
  filter = '',
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor = from;
  for (;;) {
    const position = cursor === undefined ? '' : `&${parameter}=${cursor}`;
    const response = await client.get(`/v1/events?limit=${limit}${position}${filter}`);
    const { data, hasMore } = read(response, eventListSchema);
    const page = data.map(({ id }) => id);
    ids.push(...page);
    cursor = parameter === 'startingAfter' ? page.at(-1) : page[0];
    if (!hasMore) {
      return ids;
    }
  }
}
