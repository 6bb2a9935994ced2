import { expect } from 'chai';
import fc from 'fast-check';

import type { EventListRequest } from '../../../../api/resources/events/listEvents.js';
import { defaultScanLimits } from '../../../../api/scans/scanSlices.js';
import { toBinary } from '../../../../shared/store/client/binary.js';
import {
  deliveryStatuses,
  type Delivery,
  type LastAttempt,
} from '../../../../shared/domain/deliveries/delivery.js';
import type { EventDocument } from '../../../../shared/store/models/documents.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';
import { listOver, listOwner, type ReadList } from '../../support/eventLists.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../support/storedEvents.js';

const { accountId } = listOwner;
const webhookIds = [testIdentifier('wh', 1), testIdentifier('wh', 2)];
const [one = '', other = ''] = webhookIds;
const statusCodes = [200, 204, 404, 500];
const errorCodes = ['http_status', 'timeout'] as const;

/** The last attempt of a delivery: a delivered one has no error. */
const lastAttempt = (status: Delivery['status']): fc.Arbitrary<LastAttempt> =>
  status === 'delivered'
    ? fc.record({
        at: fc.constant(start),
        statusCode: fc.constantFrom(200, 204),
        errorCode: fc.constant(null),
      })
    : fc.record({
        at: fc.constant(start),
        statusCode: fc.constantFrom(null, 404, 500),
        errorCode: fc.constantFrom(...errorCodes),
      });

/** A delivery with a last attempt, without an attempt, or of an earlier version without the field of the last attempt. */
const delivery = fc.constantFrom(...deliveryStatuses).chain((status) =>
  fc
    .record({ last: lastAttempt(status), kind: fc.constantFrom('attempted', 'earlier', 'ended') })
    .map(({ last, kind }): Partial<Delivery> => {
      const error = last.errorCode === null ? null : { code: last.errorCode, message: '' };
      if (kind === 'attempted') {
        return { status, statusCode: last.statusCode, error, last };
      }
      return kind === 'earlier'
        ? { status, statusCode: last.statusCode, error }
        : { status: 'canceled', error: { code: 'webhook_deleted', message: '' } };
    }),
);

interface Sketch {
  readonly millisecond: number;
  readonly type: string;
  readonly deliveries: readonly Partial<Delivery>[];
  readonly text: string;
}

const sketches = fc.array(
  fc.record({
    millisecond: fc.nat(4),
    type: fc.constantFrom('a', 'b.c'),
    deliveries: fc.array(delivery, { maxLength: 2 }),
    text: fc.constantFrom('needle', 'hay', 'needles and hay'),
  }),
  { maxLength: 30 },
);

const requests: fc.Arbitrary<Partial<EventListRequest>> = fc.record(
  {
    type: fc.constantFrom(['a'], ['b.*'], ['a', 'b.c']),
    webhookId: fc.constantFrom(one, other),
    deliveryStatus: fc.subarray([...deliveryStatuses], { minLength: 1 }),
    statusCode: fc.constantFrom(...statusCodes),
    errorCode: fc.constantFrom(...errorCodes, 'webhook_deleted' as const),
    search: fc.constantFrom('NEEDLE', 'hay'),
    fields: fc.constant('summary' as const),
  },
  { requiredKeys: [] },
);

/** The filters of a request on one value. A filter that is missing is passed by every value. */
function passesAny<Value>(wanted: readonly (Value | undefined)[], ...values: readonly Value[]): boolean {
  return wanted.includes(undefined) || values.some((value) => wanted.includes(value));
}

/** Whether an event passes all filters, read from the description of the API. */
function passes(event: EventDocument, request: Partial<EventListRequest>): boolean {
  const { type = '', data } = event;
  const { search = '' } = request;
  const patterns = type === 'b.c' ? ['b.c', 'b.*'] : [type];
  const isOfType = passesAny<string | undefined>(request.type ?? [undefined], ...patterns);
  const text = String(data?.toString());
  return isOfType && passesDelivery(event, request) && text.includes(search.toLowerCase());
}

function passesDelivery({ deliveries }: EventDocument, request: Partial<EventListRequest>): boolean {
  const { webhookId, deliveryStatus, statusCode, errorCode } = request;
  const filters = [webhookId, deliveryStatus, statusCode, errorCode];
  return (
    filters.every((value) => value === undefined) ||
    deliveries.some(
      ({ webhookId: id, status, statusCode: code, last, error }) =>
        passesAny([webhookId], id) &&
        passesAny<string | undefined>(deliveryStatus ?? [undefined], status) &&
        passesAny<number | null | undefined>([statusCode], (last ?? { statusCode: code }).statusCode) &&
        passesAny<string | null | undefined>([errorCode], last?.errorCode, error?.code),
    )
  );
}

describe('the list of events with combined filters', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
  });

  const store = async (given: readonly Sketch[]): Promise<readonly EventDocument[]> => {
    const documents = given.map(({ millisecond, type, deliveries, text }, number) => ({
      ...eventDocument({
        accountId,
        id: testIdentifier('evt', number),
        type,
        created: secondsLater(millisecond / 1000),
        deliveries: deliveries.map((fields, at) => [webhookIds[at] ?? '', 'pending', fields]),
      }),
      data: toBinary(Buffer.from(JSON.stringify({ text }))),
    }));
    await stored.collection.deleteMany({ accountId });
    await (documents.length === 0 ? null : stored.collection.insertMany(documents));
    return documents;
  };

  /** The ids on consecutive pages, in the order of the pages, from the oldest event for pages of newer events. */
  const walk = async (list: ReadList, request: Partial<EventListRequest>, from: string | undefined) => {
    const met: string[] = [];
    let cursor = from;
    let hasMore = true;
    while (hasMore) {
      const place =
        cursor === undefined ? {} : { [from === undefined ? 'startingAfter' : 'endingBefore']: cursor };
      const page = await list({ ...request, ...place });
      const ids = page.items.map(({ id }) => id);
      met.push(...(from === undefined ? ids : ids.toReversed()));
      cursor = page.searched?.cursor ?? met.at(-1);
      hasMore = page.hasMore;
    }
    return met;
  };

  for (const direction of ['older', 'newer'] as const) {
    for (const [when, limits] of [
      ['', {}],
      [' with short slices', { lengths: { first: 2, shortest: 1, longest: 4 } }],
      [' if each page is cut short', { maximumMs: 0, lengths: { first: 3, shortest: 3, longest: 3 } }],
    ] as const) {
      it(`contains exactly the events that pass all filters, on pages of ${direction} events${when}`, async () => {
        const list = listOver(stored, { ...defaultScanLimits, ...limits });
        await fc.assert(
          fc.asyncProperty(
            sketches,
            requests,
            fc.integer({ min: 1, max: 4 }),
            async (given, request, limit) => {
              const newestFirst = (await store(given)).toSorted(byPlace);
              const inOrder = direction === 'older' ? newestFirst : newestFirst.toReversed();
              const from = direction === 'older' ? undefined : inOrder[0]?._id;
              const expected = inOrder.filter((each) => each._id !== from && passes(each, request));
              // An empty list has no oldest event, from which a client could read newer events.
              fc.pre(direction === 'older' || from !== undefined);
              expect(await walk(list, { ...request, limit }, from)).to.deep.equal(
                expected.map(({ _id }) => _id),
              );
            },
          ),
          { numRuns: 35 },
        );
      });
    }
  }
});

function byPlace(left: EventDocument, right: EventDocument): number {
  return Number(right.created) - Number(left.created) || (left._id < right._id ? 1 : -1);
}
