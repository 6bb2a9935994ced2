import { expect } from 'chai';
import fc from 'fast-check';

import { isApiError } from '../../../../api/http/apiError.js';
import { readPage, type ListPosition, type Page, type PageRange } from '../../../../api/http/paging.js';
import { eventSelection, type EventFilter } from '../../../../api/resources/events/eventFilter.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../support/storedEvents.js';

/** The properties that determine the place of an event in lists. They have few values, so that many events share a time. */
interface Sketch {
  readonly id: number;
  readonly millisecond: number;
  readonly type: string;
  readonly status: 'delivered' | 'failed' | null;
}

interface Course {
  readonly stood: readonly Sketch[];
  /** The events that arrive before the second page, before the third, and so on. */
  readonly arrivals: readonly (readonly Sketch[])[];
  readonly limit: number;
  readonly filter: EventFilter;
}

const webhookId = testIdentifier('wh');

const sketch: fc.Arbitrary<Sketch> = fc.record({
  id: fc.nat(1_000_000),
  millisecond: fc.nat(3),
  type: fc.constantFrom('a', 'b'),
  status: fc.constantFrom('delivered', 'failed', null),
});

const filters = fc.constantFrom<EventFilter[]>(
  {},
  { type: ['a'] },
  { type: ['a', 'b'] },
  { webhookId },
  { deliveryStatus: ['failed'] },
  { webhookId, deliveryStatus: ['delivered'] },
  { createdGt: secondsLater(0) },
  { type: ['b'], deliveryStatus: ['failed'] },
);

const course: fc.Arbitrary<Course> = fc
  .uniqueArray(sketch, { maxLength: 40, selector: ({ id }) => id })
  .chain((sketches) =>
    fc.record({
      stood: fc.constant(sketches.slice(0, 20)),
      arrivals: fc.array(fc.nat(3), { minLength: 20, maxLength: 20 }).map((counts) => {
        let taken = 20;
        return counts.map((count) => sketches.slice(taken, (taken += count)));
      }),
      limit: fc.integer({ min: 1, max: 5 }),
      filter: filters,
    }),
  );

/** Newest first. */
function byPlace(left: EventDocument, right: EventDocument): number {
  return Number(right.created) - Number(left.created) || (left._id < right._id ? 1 : -1);
}

describe('the pages of a list while events arrive late or within one millisecond', () => {
  let stored: StoredEvents;
  let courses = 0;
  before(async () => {
    stored = await openStoredEvents();
  });

  /** Stores the events of one course in its own account. */
  const store = async (accountId: string, sketches: readonly Sketch[]): Promise<readonly EventDocument[]> => {
    const documents = sketches.map(({ id, millisecond, type, status }) =>
      eventDocument({
        accountId,
        // In the account's own range: ids are unique.
        id: testIdentifier('evt', courses * 10_000_000 + id),
        type,
        created: secondsLater(millisecond / 1000),
        deliveries: status === null ? [] : [[webhookId, status]],
      }),
    );
    await (documents.length === 0 ? null : stored.collection.insertMany([...documents]));
    return documents;
  };

  /** The ids on consecutive pages from a place, in their order. */
  const walk = async (
    accountId: string,
    { arrivals, limit, filter }: Course,
    from: Pick<PageRange, 'direction' | 'place'>,
  ): Promise<readonly string[]> => {
    const selection = eventSelection({ accountId, mode: 'live', tenant: null }, filter);
    const met: string[] = [];
    let place = from.place;
    for (let page = 0; ; page += 1) {
      const range = { limit, direction: from.direction, place };
      const found = await readPage(stored.models.events, selection, range);
      if (isApiError(found)) {
        throw new Error(found.message);
      }
      met.push(...found.items.map(({ _id }) => _id));
      place = placeBehind(found, from.direction) ?? place;
      if (!found.hasMore) {
        return met;
      }
      await store(accountId, arrivals[page] ?? []);
    }
  };

  const matching = async (accountId: string, filter: EventFilter, among: readonly EventDocument[]) => {
    const selection = eventSelection({ accountId, mode: 'live', tenant: null }, filter);
    const ids = among.map(({ _id }) => _id);
    const found = await stored.collection.find({ $and: [selection.filter, { _id: { $in: ids } }] }).toArray();
    return found.sort(byPlace).map(({ _id }) => _id);
  };

  const walkAll = async (given: Course, direction: PageRange['direction']) => {
    courses += 1;
    const accountId = testIdentifier('acct', courses);
    const stood = [...(await store(accountId, given.stood))].sort(byPlace);
    const oldest = stood.at(-1);
    const place = direction === 'older' || oldest === undefined ? null : positionOf(oldest);
    const expected = await matching(accountId, given.filter, place === null ? stood : stood.slice(0, -1));
    return { expected, met: await walk(accountId, given, { direction, place }) };
  };

  for (const direction of ['older', 'newer'] as const) {
    it(`contain each earlier event once in the direction of ${direction} ones, and no event twice`, async () => {
      await fc.assert(
        fc.asyncProperty(course, async (given) => {
          const { expected, met } = await walkAll(given, direction);
          const metOfExpected = met.filter((id) => expected.includes(id));
          expect([metOfExpected.toSorted(), new Set(met).size]).to.deep.equal([
            expected.toSorted(),
            met.length,
          ]);
        }),
        { numRuns: 30 },
      );
    });
  }

  it('omit an event of which only deliveries are known', async () => {
    const accountId = testIdentifier('acct', 999_999);
    const { deliveries, positions } = eventDocument({
      accountId,
      id: testIdentifier('evt'),
      type: 'a',
      created: secondsLater(0),
      deliveries: [[webhookId, 'failed']],
    });
    await stored.collection.insertOne({ _id: testIdentifier('evt', 999), home: 0, deliveries, positions });
    const all = {
      stood: [],
      arrivals: [],
      limit: 5,
      filter: { deliveryStatus: ['failed'] as const },
    } as const;
    expect(await walk(accountId, all, { direction: 'older', place: null })).to.deep.equal([]);
  });
});

function positionOf({ _id: id, created }: EventDocument): ListPosition {
  return { id, created: created ?? secondsLater(0) };
}

/** Where the next page begins. */
function placeBehind({ items }: Page<EventDocument>, direction: PageRange['direction']): ListPosition | null {
  const last = direction === 'older' ? items.at(-1) : items[0];
  return last === undefined ? null : positionOf(last);
}
