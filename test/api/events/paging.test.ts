import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../api/events/schemas.js';
import { eventually } from '../../support/eventually.js';
import { openAccount } from '../support/accounts.js';
import { read } from '../support/client.js';

describe('api/events: a walk while new events arrive', () => {
  it('gives each event that stood when it began exactly once', async () => {
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
