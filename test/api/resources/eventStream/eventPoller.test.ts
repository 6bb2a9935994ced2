import { expect } from 'chai';

import { createEventPoller, type EventPoller } from '../../../../api/resources/eventStream/eventPoller.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { eventDocument, openStoredEvents, type StoredEvents } from '../../support/storedEvents.js';

const now = new Date('2026-11-21T12:00:00.000Z');
const { create } = createIdentifiers(createRandom());

describe('the poller of new events', () => {
  let stored: StoredEvents;
  let accountId: string;
  let poller: EventPoller;
  let areComplete: boolean;
  const takenUp = {
    refresh: () => Promise.resolve(),
    areDeliveriesComplete: () => areComplete,
  };
  before(async () => {
    stored = await openStoredEvents();
  });
  beforeEach(() => {
    accountId = create('acct', now);
    areComplete = true;
    poller = of(null);
  });

  const of = (since: Date | null) =>
    createEventPoller(
      { events: stored.models.events, takenUp, clock: () => now },
      { owner: { accountId, mode: 'live', tenant: null }, tenantId: undefined, types: null, since },
    );

  /** Adds an event for each number of seconds before now. */
  const add = async (...seconds: readonly number[]): Promise<readonly string[]> => {
    const documents = seconds.map((before) => {
      const created = new Date(now.getTime() - before * 1000);
      return eventDocument({ accountId, id: create('evt', created), type: 'a', created, deliveries: [] });
    });
    await stored.collection.insertMany(documents);
    return documents.map(({ _id }) => _id);
  };

  it('finds an event again once its deliveries are complete', async () => {
    areComplete = false;
    await poller.poll();
    const ids = await add(1);
    const found = [await poller.poll(), await poller.poll()];
    const [before] = await poller.read(ids);
    areComplete = true;
    found.push(await poller.poll(), await poller.poll());
    const [after] = await poller.read(ids);
    expect([
      found.map((changes) => changes.ids),
      before?.deliveriesComplete,
      after?.deliveriesComplete,
    ]).to.deep.equal([[ids, [], ids, []], false, true]);
  });

  it('finds new events since the last poll, oldest first and once', async () => {
    await add(30);
    await poller.poll();
    const ids = await add(5, 3, 1);
    expect([await poller.poll(), await poller.poll()]).to.deep.equal([
      { hasGap: false, ids },
      { hasGap: false, ids: [] },
    ]);
  });

  it('finds late events behind newer ones', async () => {
    await poller.poll();
    await add(1);
    await poller.poll();
    expect(await poller.poll()).to.deep.equal({ hasGap: false, ids: [] });
    const ids = await add(50);
    expect(await poller.poll()).to.deep.equal({ hasGap: false, ids });
  });

  it('finds all events since its start', async () => {
    poller = of(new Date(now.getTime() - 600_000));
    const ids = await add(500, 100, 1);
    expect(await poller.poll()).to.deep.equal({ hasGap: false, ids });
  });

  it('finds changed events', async () => {
    const [id = ''] = await add(10);
    await poller.poll();
    await stored.collection.updateOne({ _id: id }, { $set: { deliveries: deliveriesOf(1) } });
    const first = await poller.poll();
    await stored.collection.updateOne({ _id: id }, { $set: { deliveries: deliveriesOf(2) } });
    expect([first.ids, (await poller.poll()).ids]).to.deep.equal([[id], [id]]);
  });

  it('reports a gap if there are more events than it can read', async () => {
    await poller.poll();
    await add(...Array.from({ length: 1001 }, (_, count) => 30 - count / 100));
    const { hasGap, ids } = await poller.poll();
    expect([hasGap, ids.length]).to.deep.equal([true, 1000]);
  });

  it('reads events in the order of their ids', async () => {
    const ids = await add(3, 1, 2);
    expect((await poller.read(ids)).map(({ id }) => id)).to.deep.equal(ids);
  });
});

function deliveriesOf(attemptCount: number) {
  const { deliveries } = eventDocument({
    accountId: '',
    id: '',
    type: 'a',
    created: now,
    deliveries: [['wh_1', 'retrying']],
  });
  return deliveries.map((delivery) => ({ ...delivery, attemptCount }));
}
