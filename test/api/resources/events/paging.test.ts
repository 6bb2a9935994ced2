import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import { openAccount } from '../../support/accounts.js';
import { read } from '../../support/client.js';
import { eventIdsOf } from '../../support/events.js';

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
