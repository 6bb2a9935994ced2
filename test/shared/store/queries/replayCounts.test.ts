import { expect } from 'chai';

import type { ReplayOutcome } from '../../../../shared/domain/deliveries/replayedDelivery.js';
import { eventIndexes } from '../../../../shared/store/models/indexes.js';
import { createReplayCounts, replayKeys } from '../../../../shared/store/queries/replayCounts.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../../api/support/storedEvents.js';
import { start, testIdentifier } from '../../../support/facts.js';

const accountId = testIdentifier('acct');
const [replayId, otherReplay] = [testIdentifier('rpl', 1), testIdentifier('rpl', 2)];

describe('The counts of a replay', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
  });
  beforeEach(() => stored.collection.deleteMany({ replayed: { $exists: true } }));

  /** An event for each list of outcomes, each of one replay. */
  async function insertReplayed(...outcomes: readonly Readonly<Record<string, ReplayOutcome>>[]) {
    await stored.collection.insertMany(
      outcomes.map((outcomeOf, number) => ({
        ...eventDocument({
          accountId,
          id: testIdentifier('evt', number),
          type: 'order.completed',
          created: start,
          deliveries: [],
        }),
        replayed: replayKeys(Object.entries(outcomeOf).map(([id, outcome]) => ({ replayId: id, outcome }))),
      })),
    );
  }

  it('count the deliveries of one replay, by their outcome', async () => {
    await insertReplayed(
      { [replayId]: 'done' },
      { [replayId]: 'failed' },
      { [otherReplay]: 'failed', [replayId]: 'done' },
      { [otherReplay]: 'done' },
    );
    const { count } = createReplayCounts(stored.models.events);
    const replay = { id: replayId, accountId: testIdentifier('acct') };

    expect([await count(replay, 'done'), await count(replay, 'failed')]).to.deep.equal([2, 1]);
  });

  it('count the deliveries that have joined another request, unless they were withdrawn', async () => {
    const outcomes = ['done', 'pending', 'canceled', 'done'] as const;
    await stored.collection.insertMany(
      outcomes.map((outcome, number) => ({
        ...eventDocument({
          ...{ accountId, id: testIdentifier('evt', number), type: 'order.completed', created: start },
          deliveries: [],
        }),
        replayed: replayKeys([{ replayId, outcome, joined: number < 3 }]),
      })),
    );
    const { joined, count } = createReplayCounts(stored.models.events);
    const replay = { id: replayId, accountId };

    expect([await joined(replay), await count(replay, 'done')]).to.deep.equal([2, 2]);
  });

  it('count the deliveries that were handed over, whatever their outcome', async () => {
    await insertReplayed(
      { [replayId]: 'done' },
      { [replayId]: 'failed' },
      { [replayId]: 'pending' },
      { [otherReplay]: 'done', [replayId]: 'retrying' },
      { [otherReplay]: 'done' },
    );

    expect(await createReplayCounts(stored.models.events).handedOver(replayId)).to.equal(4);
  });

  it('stay the same while deliveries change from one outcome to the next', async () => {
    const events = Array.from({ length: 150 }, () => ({ [replayId]: 'pending' as const }));
    await insertReplayed(...events);
    const { handedOver } = createReplayCounts(stored.models.events);
    const counted = new Set<number>();

    for (const [number] of events.entries()) {
      const replayed = replayKeys([{ replayId, outcome: 'done' }]);
      const moved = stored.collection.updateOne(
        { _id: testIdentifier('evt', number) },
        { $set: { replayed } },
      );
      counted.add(await handedOver(replayId));
      await moved;
    }

    expect([...counted]).to.deep.equal([events.length]);
  });

  it('read no document', async () => {
    const plan = await stored.collection
      .aggregate([{ $match: { replayed: replayId } }, { $group: { _id: 1, n: { $sum: 1 } } }], {
        hint: { ...eventIndexes.byReplay.key },
      })
      .explain('queryPlanner');

    expect(JSON.stringify(plan)).to.include('COUNT_SCAN').and.not.to.include('FETCH');
  });
});
