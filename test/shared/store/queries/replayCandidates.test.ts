import { expect } from 'chai';

import { TimeLimitError, UnavailableError } from '../../../../shared/core/errors.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import {
  deliveryStatuses,
  type Delivery,
  type DeliveryStatus,
} from '../../../../shared/domain/deliveries/delivery.js';
import {
  replaySelections,
  type ReplayCursor,
  type ReplaySelection,
} from '../../../../shared/domain/replays/replay.js';
import { isSelected, type ReplayScope } from '../../../../shared/domain/replays/replaySelection.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import type { PageQuery } from '../../../../shared/store/models/readQueries.js';
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
    tenantId: null,
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
    ['open', 0],
    ['undelivered', 60],
  ] as const) {
    it(`are counted if they are selected as ${only}`, async () => {
      const counted = await countSelected(stored.models.events, scopeOf(only), { isWanted });

      expect(counted).to.deep.equal({ matched: count, complete: true });
    });
  }

  it('are not counted to the end if the time is exhausted', async () => {
    let reads = 0;
    const isFirst = () => (reads += 1) === 1;
    const counted = await countSelected(stored.models.events, scopeOf('all'), {
      isWanted: isFirst,
      limit: 7,
    });

    expect(counted).to.deep.equal({ matched: 7, complete: false });
  });

  it('are counted in smaller pages after a page has exceeded its time limit', async () => {
    const limits: number[] = [];
    const countPage: typeof stored.models.events.countPage = (query) => {
      limits.push(query.limit);
      return limits.length <= 2
        ? Promise.reject(new TimeLimitError('MongoDB does not respond'))
        : stored.models.events.countPage(query);
    };
    const counted = await countSelected({ ...stored.models.events, countPage }, scopeOf('all'), { isWanted });

    expect([counted, limits.slice(0, 3)]).to.deep.equal([{ matched: 90, complete: true }, [2000, 250, 31]]);
  });

  it('are not counted to the end if the smallest page exceeds its time limit until the end of the time', async () => {
    let reads = 0;
    const countPage = () => {
      reads += 1;
      return Promise.reject(new TimeLimitError('MongoDB does not respond'));
    };
    const counted = await countSelected({ ...stored.models.events, countPage }, scopeOf('all'), {
      isWanted: () => reads < 5,
    });

    expect(counted).to.deep.equal({ matched: 0, complete: false });
  });

  it('are not counted while MongoDB is unavailable', async () => {
    const countPage = () => Promise.reject(new UnavailableError('MongoDB does not respond'));
    const outcome = await countSelected({ ...stored.models.events, countPage }, scopeOf('all'), {
      isWanted,
    }).catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(UnavailableError);
  });

  it('contain all types below a prefix of which another prefix of the webhook is a part', async () => {
    const subscription = ['order.*', 'order.item.*'];
    const all = await walked(scopeOf('all'), 100);

    expect(await walked({ ...scopeOf('all'), subscription }, 100)).to.deep.equal(all);
  });

  describe('that are named by their ids', () => {
    const named = async (only: ReplaySelection, types: readonly string[] | null = null) => {
      const all = await walked(scopeOf('all'), 100);
      const eventIds = [...all.slice(9, 24).toReversed(), 'evt_unknown'];
      const scope = scopeOf(only, types);
      return { all, scope: { ...scope, filter: { ...scope.filter, until: start, eventIds } } };
    };

    for (const limit of [1, 4, 15, 100]) {
      it(`are each read once, oldest first, in pages of ${limit}, whatever the time range`, async () => {
        const { all, scope } = await named('all');

        expect(await walked(scope, limit)).to.deep.equal(all.slice(9, 24));
      });
    }

    it('are counted if they are selected', async () => {
      const { scope } = await named('failed');

      expect(await countSelected(stored.models.events, scope, { isWanted })).to.deep.equal({
        matched: 5,
        complete: true,
      });
    });

    it('have a type of the replay', async () => {
      const [these, others] = [await named('all', ['order.*']), await named('all', ['user.*'])];

      expect([(await walked(these.scope, 100)).length, await walked(others.scope, 100)]).to.deep.equal([
        15,
        [],
      ]);
    });

    it('belong to the account and the mode of the replay', async () => {
      const { scope } = await named('all');
      const others = [
        { ...scope, accountId: testIdentifier('acct', 9) },
        { ...scope, mode: 'test' as const },
      ];

      expect(await Promise.all(others.map((other) => walked(other, 100)))).to.deep.equal([[], []]);
    });
  });

  for (const limit of [1, 2, 7, 90]) {
    it(`are counted once each in pages of ${limit}`, async () => {
      const counted = await countSelected(stored.models.events, scopeOf('missing'), { isWanted, limit });

      expect(counted.matched).to.equal(30);
    });
  }

  describe('of which some are not replayed', () => {
    const unlike = testIdentifier('acct', 2);
    const scopeOfUnlike = (only: ReplaySelection): ReplayScope => ({
      ...scopeOf(only),
      accountId: unlike,
      eventsBelow: [5, 0, 2],
      subscription: ['order.*', 'order.item.*'],
    });
    const attempted = (status: DeliveryStatus, statusCode: number | null): Delivery => {
      const deliveries = [[webhookId, status]] as const;
      const place = { accountId: unlike, id: 'evt_any', type: 'a.b', created: start, deliveries };
      const [delivery] = eventDocument(place).deliveries;
      const errorCode = statusCode === null ? 'timeout' : 'http_status';
      const last = { at: start, statusCode, errorCode } as const;
      return { ...(delivery ?? expect.fail('there is no delivery')), last };
    };
    /** A delivery of a converted document, which does not contain the time of its last attempt. */
    const converted = ({ last, ...delivery }: Delivery): Delivery => ({
      ...delivery,
      ...(last && { last: { ...last, at: null } }),
    });
    before(async () => {
      const others = [
        { onlyWebhookId: webhookId },
        { onlyWebhookId: webhookId, deliveries: [attempted('pending', 500)] },
        { source: { partition: 0, offset: 4, appended: 0 } },
        { source: { partition: 0, offset: 5, appended: 0 } },
        { source: { partition: 1, offset: 0, appended: 0 } },
        { source: { partition: 2, offset: 1, appended: 0 } },
        { source: { partition: 7, offset: 0, appended: 0 } },
        { deliveries: [] },
        { type: 'user.signup' },
        ...[404, 500, 503, null].flatMap((statusCode) =>
          deliveryStatuses.map((status) => ({ deliveries: [attempted(status, statusCode)] })),
        ),
        { deliveries: [converted(attempted('failed', 500))] },
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

    const codes = {
      statusCodes: [500, 404],
      errorCodes: ['timeout', 'http_status', 'replay_canceled'],
    } as const;
    for (const [only, filter] of [
      ...replaySelections.map((only) => [only, {}] as const),
      ['all', codes],
      ['failed', codes],
      ['undelivered', codes],
      ['undelivered', { errorCodes: codes.errorCodes }],
      ['open', { statusCodes: codes.statusCodes }],
    ] as const) {
      it(`are counted like those that are selected one by one: ${only} ${JSON.stringify(filter)}`, async () => {
        const unlikeScope = scopeOfUnlike(only);
        const scope = { ...unlikeScope, filter: { ...unlikeScope.filter, ...filter } };
        const page = await candidatePage(stored.models.events, scope, { after: null, limit: 100 });
        const selected = page.candidates.filter((candidate) => isSelected(candidate, scope)).length;
        const { matched: counted } = await countSelected(stored.models.events, scope, { isWanted });

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
