import { expect } from 'chai';

import { createEarlierDeliveries } from '../../../consumers/delivery/earlierDeliveries.js';
import { createRecentEvents } from '../../../consumers/delivery/recentEvents.js';
import { evolveDelivery, type Delivery } from '../../../shared/domain/delivery.js';
import { UnavailableError } from '../../../shared/errors.js';
import { encodeEvent } from '../../../shared/topics/events.js';
import type { RawRecord } from '../../../shared/topics/record.js';
import { succeeded, testEventId } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const known: Delivery = evolveDelivery(null, succeeded());

/** Where the partition of the events ended when it became ours. */
const endAtAssignment = 100;

/** Over a model that holds one outcome of the event, and a partition that was assigned at that end. */
function earlierDeliveries({ isModelBehind = false } = {}) {
  const signal = new AbortController().signal;
  const progress = { reached: () => Promise.resolve(!isModelBehind) };
  const document = { _id: testEventId, deliveries: [known], positions: {} };
  const meta = { _id: 'meta', version: 1, complete: true, positions: {}, target: {} } as const;
  const answer = () => Promise.resolve({ documents: [document], meta });
  const earlier = createEarlierDeliveries({
    offsets: { ends: () => Promise.resolve([endAtAssignment]) },
    models: {
      events: {
        findByIds: answer,
        findAll: answer,
        findPage: () => Promise.resolve([document]),
        meta: () => Promise.resolve(meta),
      },
    },
    progress: { events: progress, webhooks: progress, accounts: progress },
    recentEvents: createRecentEvents(10),
  });
  return { of: (record: RawRecord) => earlier.of(testEventId, record, signal) };
}

function recordAt(offset: number, lateMs = 0): RawRecord {
  const record = rawRecord(
    encodeEvent({
      id: testEventId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      type: 'order.completed',
      created: start,
      data: Buffer.from('{}'),
      onlyWebhookId: null,
    }),
    { partition: 0, offset },
  );
  return { ...record, timestamp: start.getTime() + lateMs };
}

describe('earlier deliveries', () => {
  it('are none, without a look, of a fresh event from behind the assignment', async () => {
    expect(await earlierDeliveries().of(recordAt(endAtAssignment))).to.deep.equal([]);
  });

  it('are looked up of an event that stood in the log at the assignment', async () => {
    expect(await earlierDeliveries().of(recordAt(endAtAssignment - 1))).to.deep.equal([known]);
  });

  for (const lateMs of [-60_001, 60_001]) {
    it(`are looked up of an event whose record is ${lateMs} ms from the time of its id`, async () => {
      expect(await earlierDeliveries().of(recordAt(endAtAssignment, lateMs))).to.deep.equal([known]);
    });
  }

  it('are looked up of an event that a second record brings', async () => {
    const { of } = earlierDeliveries();
    await of(recordAt(endAtAssignment));

    expect(await of(recordAt(endAtAssignment + 1))).to.deep.equal([known]);
  });

  it('are looked up of an event whose second record came behind the assignment, and its first before', async () => {
    const { of } = earlierDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(await of(recordAt(endAtAssignment))).to.deep.equal([known]);
  });

  it('are not known while the models are behind the log as it was at the assignment', async () => {
    const failure: unknown = await earlierDeliveries({ isModelBehind: true })
      .of(recordAt(endAtAssignment))
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(UnavailableError);
  });
});
