import { expect } from 'chai';

import { eventListSchema } from '../../../../api/resources/events/routes.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, type Client } from '../../support/client.js';
import { eventIdsOf, postEvent, takenUpEvent } from '../../support/events.js';

/** A page of a search. */
async function searched(client: Client, text: string, query = '') {
  const response = await client.get(`/v1/events?search=${encodeURIComponent(text)}${query}`);
  return read(response, eventListSchema);
}

describe('GET /v1/events with a search', () => {
  let account: TestAccount;
  /** The ids of five events, newest first. The first, third and fifth one contain the text. */
  let ids: readonly string[];
  let times: ReadonlyMap<string, string>;

  before(async () => {
    account = await openAccount();
    const posted = [];
    for (const text of ['a Needle', 'hay', 'a NEEDLE', 'hay', 'needle']) {
      posted.push(await postEvent(account.live, text === 'hay' ? 'hay' : 'order.completed', { text }));
      await eventIdsOf(account.live, '', posted.length);
    }
    ids = await eventIdsOf(account.live);
    times = new Map(posted.map(({ id, created }) => [id, created]));
  });

  const at = (index: number) => ids[index] ?? '';

  it('contains the events with the text, newest first, and the span of all events', async () => {
    const { data, hasMore, searched: span } = await searched(account.live, 'needle');
    const expected = [at(0), at(2), at(4)];
    expect([data.map(({ id }) => id), hasMore, span]).to.deep.equal([
      expected,
      false,
      { from: times.get(at(0)), to: times.get(at(4)), complete: true },
    ]);
  });

  it('ends with a full page, and continues after its cursor', async () => {
    const first = await searched(account.live, 'needle', '&limit=2');
    expect([first.data.map(({ id }) => id), first.hasMore, first.searched]).to.deep.equal([
      [at(0), at(2)],
      true,
      { from: times.get(at(0)), to: times.get(at(2)), complete: false, cursor: at(2) },
    ]);
    const second = await searched(
      account.live,
      'needle',
      `&limit=2&startingAfter=${first.searched?.cursor ?? ''}`,
    );
    expect([second.data.map(({ id }) => id), second.hasMore, second.searched]).to.deep.equal([
      [at(4)],
      false,
      { from: times.get(at(3)), to: times.get(at(4)), complete: true },
    ]);
  });

  it('is complete if the last event fills the page', async () => {
    const { hasMore, searched: span } = await searched(account.live, 'needle', '&limit=3');
    expect([hasMore, span?.complete]).to.deep.equal([false, true]);
  });

  it('searches towards newer events before an id', async () => {
    const { data, searched: span } = await searched(account.live, 'needle', `&limit=1&endingBefore=${at(4)}`);
    expect([data.map(({ id }) => id), span]).to.deep.equal([
      [at(2)],
      { from: times.get(at(2)), to: times.get(at(3)), complete: false, cursor: at(2) },
    ]);
  });

  it('contains only events that pass the other filters', async () => {
    const { data } = await searched(account.live, 'hay', '&type=order.*');
    const { data: hay, searched: span } = await searched(account.live, 'hay', '&type=hay');
    expect([data, hay.map(({ id }) => id), span]).to.deep.equal([
      [],
      [at(1), at(3)],
      { from: times.get(at(1)), to: times.get(at(3)), complete: true },
    ]);
  });

  it('finds a part of an id, in any case', async () => {
    const { data } = await searched(account.live, at(1).slice(12).toLowerCase());
    expect(data.map(({ id }) => id)).to.deep.equal([at(1)]);
  });

  it('contains summaries if the request asks for them', async () => {
    const { data } = await searched(account.live, 'needle', '&fields=summary&limit=1');
    expect(data.map((event) => Object.keys(event))).to.deep.equal([
      ['id', 'type', 'created', 'tenantId', 'deliveries', 'deliveriesComplete', 'validation', 'mode'],
    ]);
  });

  for (const [what, query] of [
    ['in an account without events', ''],
    ['for types without events', '&type=none.*'],
  ] as const) {
    it(`is complete and has no span ${what}`, async () => {
      const { live } = query === '' ? await openAccount() : account;
      expect(await searched(live, 'needle', query)).to.deep.equal({
        data: [],
        hasMore: false,
        searched: { from: null, to: null, complete: true },
      });
    });
  }

  it('is complete and has no span after the oldest event', async () => {
    const { searched: span } = await searched(account.live, 'needle', `&startingAfter=${at(4)}`);
    expect(span).to.deep.equal({ from: null, to: null, complete: true });
  });

  it('finds no event of another account, and none of the other mode', async () => {
    const other = await openAccount();
    const found = await Promise.all([other.live, account.test].map((client) => searched(client, 'needle')));
    expect(found.flatMap(({ data }) => data)).to.deep.equal([]);
  });

  it('finds the characters of a string with escape sequences, and shows its bytes', async () => {
    const { live } = await openAccount();
    await live.post('/v1/events', String.raw`{"type":"a","data":{"path":"C:\\temp","name":"M\u00fcller"}}`);
    await eventIdsOf(live, '', 1);
    const found = await Promise.all(
      [String.raw`C:\TEMP`, 'MÜLLER', String.raw`M\u00fc`].map((text) => searched(live, text)),
    );
    expect(found.map(({ data }) => data.length)).to.deep.equal([1, 1, 0]);
  });

  it('ends a page with the event that reaches one mebibyte, and continues after it', async () => {
    const { live } = await openAccount();
    for (let number = 0; number < 7; number += 1) {
      await postEvent(live, 'a', { text: 'x'.repeat(250_000) });
    }
    const all = await eventIdsOf(live, '?fields=summary', 7);
    const first = await searched(live, 'xxx', '&limit=100');
    const second = await searched(live, 'xxx', `&limit=100&startingAfter=${first.searched?.cursor ?? ''}`);
    const found = [first, second].map(({ data, hasMore }) => [data.map(({ id }) => id), hasMore]);
    expect(found).to.deep.equal([
      [all.slice(0, 5), true],
      [all.slice(5), false],
    ]);
  });
});

describe('GET /v1/events with fields=summary', () => {
  it('returns the events without data', async () => {
    const { live } = await openAccount();
    const { id } = await postEvent(live, 'a', { text: 'x' });
    const { data: _data, ...summary } = await takenUpEvent(live, id);
    expect(read(await live.get('/v1/events?fields=summary'), eventListSchema)).to.deep.equal({
      data: [summary],
      hasMore: false,
    });
  });
});
