import { expect } from 'chai';

import type { PageRange } from '../../../../api/http/paging.js';
import { eventSelection, type EventFilter } from '../../../../api/resources/events/eventFilter.js';
import { deliveryStatuses } from '../../../../shared/domain/deliveries/delivery.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';
import { eventDocument, openStoredEvents, planOf, type StoredEvents } from '../../support/storedEvents.js';

const owner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;
const everyHook = testIdentifier('wh', 1);
const rareHook = testIdentifier('wh', 2);
const failingHook = testIdentifier('wh', 3);
const unknownHook = testIdentifier('wh', 4);

const events = 20_000;
/** The number of events that were created in one millisecond. */
const atOnce = 500;
const pauseMs = 50;
const limit = 20;

/** An event of the account. Types and webhooks differ in the number of their events. */
function storedEvent(number: number) {
  const isRare = number % 1000 === 7;
  const ofTenant = number % 100 === 1 ? { tenantId: 'customer-1', homeOffset: number } : {};
  const document = eventDocument({
    accountId: owner.accountId,
    id: testIdentifier('evt', number),
    type: isRare ? 'rare' : 'common',
    created: new Date(start.getTime() + Math.floor(number / atOnce) * pauseMs),
    deliveries:
      number % 10 === 0
        ? []
        : [
            [everyHook, number % 2000 === 3 ? 'retrying' : 'delivered'],
            ...(isRare ? [[rareHook, 'delivered'] as const] : []),
            number % 500 === 1
              ? [failingHook, 'delivered', { last: { at: start, statusCode: 201, errorCode: null } }]
              : [failingHook, 'failed', { last: { at: start, statusCode: 500, errorCode: 'http_status' } }],
          ],
  });
  return { ...document, ...ofTenant };
}

/** A tenant caller whose tenant has existed since the middle of the list. */
const tenantCaller = {
  ...owner,
  tenant: { tenantId: 'customer-1', lifeId: 'life-1', eventsFrom: [10_000], credential: 'portal' },
} as const;

const created = { createdGte: secondsLater(0.5), createdLt: secondsLater(1.5) };

/** The filters that have an index. */
const flat: Readonly<Record<string, EventFilter>> = {
  'no filter': {},
  'the type of most events': { type: ['common'] },
  'the type of few events': { type: ['rare'] },
  'the type of no event': { type: ['none'] },
  'several types': { type: ['common', 'rare', 'none'] },
  'the webhook of all events': { webhookId: everyHook },
  'the webhook of few events': { webhookId: rareHook },
  'the webhook of no event': { webhookId: unknownHook },
  ...Object.fromEntries(deliveryStatuses.map((status) => [`status ${status}`, { deliveryStatus: [status] }])),
  'the status of most deliveries to a webhook': { webhookId: everyHook, deliveryStatus: ['delivered'] },
  'the status of few deliveries to a webhook': { webhookId: failingHook, deliveryStatus: ['delivered'] },
  'a tenant': { tenantId: 'customer-1' },
  'a tenant without events': { tenantId: 'customer-2' },
  'a status of a tenant': { tenantId: 'customer-1', deliveryStatus: ['delivered'] },
  'several statuses': { deliveryStatus: ['failed', 'retrying'] },
  'several statuses of a webhook': { webhookId: failingHook, deliveryStatus: ['delivered', 'failed'] },
  'a status code': { statusCode: 500 },
  'an error of a webhook': { webhookId: failingHook, errorCode: 'http_status' },
  'a status, a status code and an error': {
    deliveryStatus: ['failed'],
    statusCode: 500,
    errorCode: 'http_status',
  },
  'an error of deliveries in a status without errors': {
    deliveryStatus: ['delivered'],
    errorCode: 'http_status',
  },
  'a status of deliveries to other webhooks alone': { webhookId: everyHook, deliveryStatus: ['failed'] },
};

/** The filters that check the documents of an index one by one. */
const combined: Readonly<Record<string, EventFilter>> = {
  'a type and a webhook': { type: ['rare'], webhookId: everyHook },
  'types and a webhook': { type: ['rare', 'common'], webhookId: everyHook },
  'a type and a rare status': { type: ['common'], deliveryStatus: ['retrying'] },
  'a type and the usual status': { type: ['rare'], deliveryStatus: ['delivered'] },
  'types and the usual status': { type: ['rare', 'common'], deliveryStatus: ['delivered'] },
  'the usual and another status': { deliveryStatus: ['delivered', 'failed'] },
  'a rare status code': { statusCode: 201 },
  'a type and an error': { type: ['rare'], errorCode: 'http_status' },
  'a type and a rare status code': { type: ['common'], statusCode: 201 },
  'no tenant': { tenantId: null },
  'a type of a tenant': { tenantId: 'customer-1', type: ['rare'] },
  'a webhook of a tenant': { tenantId: 'customer-1', webhookId: everyHook },
  'a type, a webhook and a status': { type: ['rare'], webhookId: failingHook, deliveryStatus: ['delivered'] },
};

const middle = { created: secondsLater(1), id: testIdentifier('evt', 10_250) };
const ranges: Readonly<Record<string, PageRange>> = {
  'the first page': { limit, direction: 'older', place: null },
  'a page in the middle': { limit, direction: 'older', place: middle },
  'a page back from the middle': { limit, direction: 'newer', place: middle },
};

describe('the index of a filtered list of events', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
    await stored.collection.insertMany(Array.from({ length: events }, (_, number) => storedEvent(number)));
  });

  for (const [where, range] of Object.entries(ranges)) {
    it(`reads at most three keys for each event of ${where}, also within a time`, async () => {
      for (const [what, filter] of Object.entries(flat)) {
        for (const bounds of [{}, created]) {
          const plan = await planOf(stored, eventSelection(owner, { ...filter, ...bounds }), range);
          expect(plan.keys, what).to.be.at.most(3 * plan.returned);
        }
      }
    });

    it(`reads no document before the life of a tenant for ${where}`, async () => {
      const plan = await planOf(stored, eventSelection(tenantCaller, {}), range);
      expect([plan.returned > 0, plan.readInVain]).to.deep.equal([true, 0]);
    });

    it(`avoids a sort for ${where}`, async () => {
      for (const [what, filter] of Object.entries({ ...flat, ...combined })) {
        for (const bounds of [{}, created]) {
          const { stages } = await planOf(stored, eventSelection(owner, { ...filter, ...bounds }), range);
          expect(stages, what).not.to.include('SORT');
        }
      }
    });
  }
});
