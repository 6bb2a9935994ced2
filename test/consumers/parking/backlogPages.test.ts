import { expect } from 'chai';

import { createBacklogPages } from '../../../consumers/parking/backlogPages.js';
import { countersIdOf, type CountersDocument } from '../../../shared/store/models/documents.js';
import { openStoredEvents, type StoredEvents } from '../../api/support/storedEvents.js';
import { testIdentifier } from '../../support/facts.js';

const accountId = testIdentifier('acct');
const webhookId = testIdentifier('wh');

describe('the pages of backlogs', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
    const { database, collection } = stored;
    await database.collection<CountersDocument>(collection.collectionName).insertMany(
      [0, 1, 11, 101].map((home) => ({
        _id: countersIdOf(accountId, webhookId, home),
        positions: {},
        counters: { webhookId, ...(home === 1 && { ofTenancy: 'life' }), parked: 1000 - home },
      })),
    );
  });

  it('list the backlogs of the given partitions, even if other partitions have many longer ones', async () => {
    const pages = createBacklogPages(stored.models.events, 1);

    expect([await pages.all([1]), await pages.all([101, 11]), await pages.all([7])]).to.deep.equal([
      [{ accountId, tenancy: 'life', webhookId, home: 1, parked: 999 }],
      [{ accountId, tenancy: null, webhookId, home: 11, parked: 989 }],
      [],
    ]);
  });

  it('list the longest backlogs of all partitions', async () => {
    const listed = await createBacklogPages(stored.models.events, 2).all(null);

    expect(listed.map(({ home }) => home)).to.deep.equal([0, 1]);
  });

  it('count the deliveries of each webhook, however many are counted at once', async () => {
    const pages = createBacklogPages(stored.models.events);
    const others = Array.from({ length: 250 }, (_, index) => testIdentifier('wh', 1000 + index));
    const counts = await Promise.all([...others, webhookId].map(pages.count));

    expect([counts.at(-1), new Set(counts.slice(0, -1))]).to.deep.equal([
      1000 + 999 + 989 + 899,
      new Set([0]),
    ]);
  });
});
