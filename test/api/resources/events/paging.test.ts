import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount } from '../../support/accounts.js';
import { read } from '../../support/client.js';
import { eventIdsOf } from '../../support/events.js';

describe('the pages of a list while new events arrive', () => {
  it('contain each earlier event exactly once', async () => {
    const { live } = await openAccount();
    const post = async () => read(await live.postJson('/v1/events', { type: 'a', data: {} }), eventSchema).id;
    const listed = async (query: string) => read(await live.get(`/v1/events?${query}`), eventListSchema);
    const stood = await Promise.all(Array.from({ length: 30 }, post));
    await eventually('all are listed', async () =>
      (await listed('limit=100')).data.length === 30 ? true : null,
    );

    const met: string[] = [];
    let page = await listed('limit=3');
    while (page.hasMore) {
      met.push(...page.data.map(({ id }) => id));
      await Promise.all([post(), post(), post()]);
      page = await listed(`limit=3&startingAfter=${met.at(-1)}`);
    }
    met.push(...page.data.map(({ id }) => id));

    expect(met.filter((id) => stood.includes(id)).sort()).to.deep.equal(stood.toSorted());
  });
});

describe('a page of large events', () => {
  it('ends with the event that reaches one mebibyte, and reports more', async () => {
    const { live } = await openAccount();
    const data = { text: 'x'.repeat(250_000) };
    const posted: string[] = [];
    for (let number = 0; number < 7; number += 1) {
      posted.push(read(await live.postJson('/v1/events', { type: 'a', data }), eventSchema).id);
    }
    const listed = async (query: string) => {
      const page = read(await live.get(`/v1/events?limit=100${query}`), eventListSchema);
      return { ids: page.data.map(({ id }) => id), hasMore: page.hasMore };
    };
    await eventIdsOf(live, '?limit=100&fields=summary', posted.length);
    const first = await listed('');
    const second = await listed(`&startingAfter=${first.ids.at(-1) ?? ''}`);
    const before = await listed(`&endingBefore=${posted[0] ?? ''}`);

    const newestFirst = posted.toReversed();
    expect([first, second, before]).to.deep.equal([
      { ids: newestFirst.slice(0, 5), hasMore: true },
      { ids: newestFirst.slice(5), hasMore: false },
      { ids: newestFirst.slice(1, 6), hasMore: true },
    ]);
  });
});
