import { expect } from 'chai';

import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { eventIndexes } from '../../../../shared/store/models/indexes.js';
import { typesMatching } from '../../../../shared/store/queries/eventTypes.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../../api/support/storedEvents.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';

const owner = { accountId: testIdentifier('acct', 1), mode: 'live' } as const;
const types = [
  'order',
  'order.completed',
  'order.item.added',
  'order.shipped',
  'orders',
  'order_x',
  'user.signup',
];
const eventsOfType = 200;

describe('the types that match patterns', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
    const identifiers = createIdentifiers(createRandom());
    const documents = [...types.entries()].flatMap(([index, type]) =>
      Array.from({ length: eventsOfType }, (_, number) => {
        const created = secondsLater(index * eventsOfType + number);
        const id = identifiers.create('evt', created);
        return eventDocument({ accountId: owner.accountId, id, type, created, deliveries: [] });
      }),
    );
    const created = secondsLater(0);
    const foreign = { accountId: testIdentifier('acct', 2), type: 'order.foreign', created, deliveries: [] };
    await stored.collection.insertMany([
      ...documents,
      eventDocument({ ...foreign, id: identifiers.create('evt', created) }),
    ]);
  });

  for (const [patterns, expected] of [
    [['order.*'], ['order.completed', 'order.item.added', 'order.shipped']],
    [
      ['order.*', 'order.item.*'],
      ['order.completed', 'order.item.added', 'order.shipped'],
    ],
    [
      ['order.item.*', 'user.*'],
      ['order.item.added', 'user.signup'],
    ],
    [
      ['order.*', 'order'],
      ['order', 'order.completed', 'order.item.added', 'order.shipped'],
    ],
    [['none.*'], []],
    [['none'], ['none']],
  ] as const) {
    it(`are ${expected.join(', ') || 'none'} for ${patterns.join(', ')}`, async () => {
      const found = await typesMatching(stored.models.events, owner, patterns);
      expect([...found].sort()).to.deep.equal(expected);
    });
  }

  it('are read with one seek for each type', async () => {
    const range = { $gte: 'order.', $lt: 'order/' };
    const plan = await stored.collection
      .aggregate([{ $match: { ...owner, type: range } }, { $group: { _id: '$type' } }], {
        hint: { ...eventIndexes.byType.key },
      })
      .explain('executionStats');
    expect(JSON.stringify(plan)).to.include('DISTINCT_SCAN');
  });
});
