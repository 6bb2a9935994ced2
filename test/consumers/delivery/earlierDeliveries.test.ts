import { expect } from 'chai';

import { createEarlierDeliveries } from '../../../consumers/delivery/earlierDeliveries.js';
import { createRecentEvents } from '../../../consumers/delivery/recentEvents.js';
import { evolveDelivery, type Delivery } from '../../../shared/domain/delivery.js';
import type { RawRecord } from '../../../shared/topics/record.js';
import { succeeded, testEventId } from '../../support/deliveryFacts.js';
import { start } from '../../support/facts.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const known: Delivery = evolveDelivery(null, succeeded());

/** Where the partition of the events ended when it became ours, and the outcomes then and now. */
const endAtAssignment = 100;
const deliveriesAtAssignment = [7];
const deliveriesNow = [9];

/** Over a model that holds one outcome of the event, and a partition that was assigned at that end. */
function earlierDeliveries() {
  const { signal } = new AbortController();
  const awaited: unknown[] = [];
  const stood = ({ offset }: RawRecord) => offset < endAtAssignment;
  const earlier = createEarlierDeliveries({
    assignments: { of: () => Promise.resolve({ stood, deliveries: deliveriesAtAssignment }) },
    offsets: { ends: () => Promise.resolve(deliveriesNow) },
    states: {
      deliveriesOf: (_id, wanted) => {
        awaited.push(...wanted.map(({ offsets }) => [...offsets.values()]));
        return Promise.resolve([known]);
      },
    },
    recentEvents: createRecentEvents(10),
  });
  return { awaited, of: (record: RawRecord) => earlier(testEventId, record, signal) };
}

function recordAt(offset: number, lateMs = 0): RawRecord {
  const record = rawRecord(plainRecord('events', testEventId), { partition: 0, offset });
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

  it('are those that the log held at the assignment, of an event from before it', async () => {
    const { awaited, of } = earlierDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(awaited).to.deep.equal([deliveriesAtAssignment]);
  });

  it('are those that the log holds now, of an event that came again since', async () => {
    const { awaited, of } = earlierDeliveries();
    await of(recordAt(endAtAssignment, 60_001));

    expect(awaited).to.deep.equal([deliveriesNow]);
  });
});
