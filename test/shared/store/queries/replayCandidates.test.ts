import { expect } from 'chai';

import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import type { ReplayCursor, ReplaySelection } from '../../../../shared/domain/replays/replay.js';
import { isSelected, type ReplayScope } from '../../../../shared/domain/replays/replaySelection.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import type { PageQuery } from '../../../../shared/store/models/readModels.js';
import { candidatePage, countSelected } from '../../../../shared/store/queries/replayCandidates.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../../api/support/storedEvents.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';

const accountId = testIdentifier('acct');
const webhookId = testIdentifier('wh', 1);
const identifiers = createIdentifiers(createRandom());
const isWanted = () => true;

function scopeOf(only: ReplaySelection, types: readonly string[] | null = null): ReplayScope {
  return {
    accountId,
    mode: 'live',
    webhookId,
    filter: { since: start, until: secondsLater(1000), types, only },
    subscription: ['*'],
    eventsBelow: [1],
  };
}

/** Three events a second: one failed, one delivered, one without a delivery. */
function documents(): readonly EventDocument[] {
  return Array.from({ length: 30 }, (_, second) => secondsLater(second)).flatMap((created) =>
    ([['failed'], ['delivered'], []] as const).map((statuses) => {
      const deliveries = statuses.map((status) => [webhookId, status] as const);
      const id = identifiers.create('evt', created);
      return eventDocument({ accountId, id, type: 'order.completed', created, deliveries });
    }),
  );
}

describe('The candidates of a replay', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
    await stored.collection.insertMany([...documents()]);
  });
  after(() => stored.close());

  /** The ids of all pages in their order. */
  const walked = async (scope: ReplayScope, limit: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    let after: ReplayCursor | null = null;
    do {
      const page = await candidatePage(stored.models.events, scope, { after, limit });
      ids.push(...page.candidates.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    return ids;
  };

  it('contain the types below a prefix', async () => {
    const all = await walked(scopeOf('all'), 100);
    const below = await walked(scopeOf('all', ['order.*']), 100);
    const others = await walked(scopeOf('all', ['orders.*']), 100);
    expect([below, others]).to.deep.equal([all, []]);
  });

  for (const limit of [1, 7, 30, 90, 91]) {
    it(`are each read once, oldest first, in pages of ${limit}`, async () => {
      const all = await stored.collection.find({ accountId }).sort({ created: 1, _id: 1 }).toArray();

      expect(await walked(scopeOf('all'), limit)).to.deep.equal(all.map(({ _id }) => _id));
    });
  }

  for (const [only, count] of [
    ['all', 90],
    ['failed', 30],
    ['missing', 30],
  ] as const) {
    it(`are counted if they are selected as ${only}`, async () => {
      expect(await countSelected(stored.models.events, scopeOf(only), { isWanted })).to.equal(count);
    });
  }

  it('are not counted to the end if the time is exhausted', async () => {
    expect(await countSelected(stored.models.events, scopeOf('all'), { isWanted: () => false })).to.equal(
      null,
    );
  });

  for (const limit of [1, 2, 7, 90]) {
    it(`are counted once each in pages of ${limit}`, async () => {
      const counted = await countSelected(stored.models.events, scopeOf('missing'), { isWanted, limit });

      expect(counted).to.equal(30);
    });
  }

  describe('of which some are not replayed', () => {
    const unlike = testIdentifier('acct', 2);
    const scopeOfUnlike = (only: ReplaySelection): ReplayScope => ({
      ...scopeOf(only),
      accountId: unlike,
      eventsBelow: [5, 0, 2],
    });
    before(async () => {
      const others = [
        { onlyWebhookId: webhookId },
        { source: { partition: 0, offset: 4, appended: 0 } },
        { source: { partition: 0, offset: 5, appended: 0 } },
        { source: { partition: 1, offset: 0, appended: 0 } },
        { source: { partition: 2, offset: 1, appended: 0 } },
        { source: { partition: 7, offset: 0, appended: 0 } },
        { deliveries: [] },
      ];
      await stored.collection.insertMany(
        others.flatMap((other, number) =>
          documents()
            .slice(0, 3)
            .map((document) => ({
              ...document,
              ...other,
              accountId: unlike,
              _id: `${document._id}${number}`,
            })),
        ),
      );
      const place = { accountId: unlike, id: 'evt_unread', type: 'a.b', created: start, deliveries: [] };
      const { source: _, ...unread } = eventDocument(place);
      await stored.collection.insertOne(unread);
    });

    for (const only of ['all', 'missing', 'failed'] as const) {
      it(`are counted like those that are selected one by one: ${only}`, async () => {
        const scope = scopeOfUnlike(only);
        const page = await candidatePage(stored.models.events, scope, { after: null, limit: 100 });
        const selected = page.candidates.filter((candidate) => isSelected(candidate, scope)).length;
        const counted = await countSelected(stored.models.events, scope, { isWanted });

        expect([counted, selected > 0, selected < page.candidates.length]).to.deep.equal([
          selected,
          true,
          true,
        ]);
      });
    }
  });

  for (const scope of [
    scopeOf('all'),
    scopeOf('missing', ['a.b', 'order.completed']),
    scopeOf('failed'),
    scopeOf('failed', ['order.completed']),
  ]) {
    const { only, types } = scope.filter;
    it(`are read in the order of an index, as ${only}${types === null ? '' : ' of some types'}`, async () => {
      const queries: PageQuery[] = [];
      const findPage = (query: PageQuery) => {
        queries.push(query);
        return Promise.resolve([]);
      };
      const after = { created: secondsLater(10), eventId: testIdentifier('evt') };
      await candidatePage({ ...stored.models.events, findPage }, scope, { after, limit: 10 });
      const plans = await Promise.all(queries.flatMap((query) => plansOf(stored, query)));

      expect(plans).to.have.lengthOf(2);
      expect(plans.filter((plan) => plan.includes('"SORT"') || plan.includes('COLLSCAN'))).to.deep.equal([]);
    });
  }
});

function plansOf({ collection }: StoredEvents, { ranges, limit, index, projection }: PageQuery) {
  return ranges.map(async ({ filter, sort }) => {
    const options = { sort: { ...sort }, limit, hint: { ...index }, ...(projection && { projection }) };
    return JSON.stringify(await collection.find(filter, options).explain('queryPlanner'));
  });
}
