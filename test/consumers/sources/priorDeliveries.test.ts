import { expect } from 'chai';

import { createPriorDeliveries } from '../../../consumers/sources/priorDeliveries.js';
import { createRecentEventIds } from '../../../consumers/lookups/recentEventIds.js';
import { evolveDelivery, type Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import type { LogPosition } from '../../../shared/log/records/retry.js';
import { succeeded, testEventId } from '../../support/deliveryFacts.js';
import { start } from '../../support/facts.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const known: Delivery = evolveDelivery(null, succeeded());

/** Where the partition of the events ended when it became ours, and the outcomes then and now. */
const endAtAssignment = 100;
const deliveriesAtAssignment = 7;
const deliveriesNow = 9;
const deliveriesAfterHandOver = 8;

/**
 * Over a model that holds one outcome of the event, and a partition that was assigned at that end. The event's record is the
 * one that is asked about, unless it stands elsewhere.
 */
function priorDeliveries({ partitions = 1, source }: { partitions?: number; source?: LogPosition } = {}) {
  const { signal } = new AbortController();
  const awaited: unknown[] = [];
  const filled = (end: number) => Array.from({ length: partitions }, () => end);
  const predatesAssignment = ({ offset }: RawRecord) => offset < endAtAssignment;
  const priorDeliveries = createPriorDeliveries({
    assignments: {
      of: () =>
        Promise.resolve({
          predatesAssignment,
          deliveries: filled(deliveriesAtAssignment),
          deliveriesAfterHandOver: () => Promise.resolve(filled(deliveriesAfterHandOver)),
        }),
    },
    offsets: { ends: () => Promise.resolve(filled(deliveriesNow)) },
    states: {
      knownOf: (_id, wanted) => {
        awaited.push(...wanted.map(({ topic, offsets }) => ({ topic, offsets: [...offsets] })));
        return Promise.resolve({
          deliveries: [known],
          ...(source === undefined ? {} : { source: { ...source, appended: 0 } }),
        });
      },
    },
    recentEvents: createRecentEventIds(10),
  });
  return { awaited, of: (record: RawRecord) => priorDeliveries(testEventId, record, signal) };
}

function recordAt(offset: number, lateMs = 0): RawRecord {
  const record = rawRecord(plainRecord('events', testEventId), { partition: 0, offset });
  return { ...record, timestamp: start.getTime() + lateMs };
}

describe('earlier deliveries', () => {
  it('are none, without a look, of a fresh event from behind the assignment', async () => {
    expect(await priorDeliveries().of(recordAt(endAtAssignment))).to.deep.equal([]);
  });

  it('are looked up of an event that stood in the log at the assignment', async () => {
    expect(await priorDeliveries().of(recordAt(endAtAssignment - 1))).to.deep.equal([known]);
  });

  for (const lateMs of [-60_001, 60_001]) {
    it(`are looked up of an event whose record is ${lateMs} ms from the time of its id`, async () => {
      expect(await priorDeliveries().of(recordAt(endAtAssignment, lateMs))).to.deep.equal([known]);
    });
  }

  it('are looked up of an event that a second record brings', async () => {
    const { of } = priorDeliveries();
    await of(recordAt(endAtAssignment));

    expect(await of(recordAt(endAtAssignment + 1))).to.deep.equal([known]);
  });

  it('are looked up of an event whose second record came behind the assignment, and its first before', async () => {
    const { of } = priorDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(await of(recordAt(endAtAssignment))).to.deep.equal([known]);
  });

  it('are those that the log has once the previous owner has finished its attempts, of an event from before the assignment', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(awaited).to.deep.include({ topic: 'deliveries', offsets: [[0, deliveriesAfterHandOver]] });
  });

  it('are those that the log holds now, of an event that came again since', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(endAtAssignment, 60_001));

    expect(awaited).to.deep.include({ topic: 'deliveries', offsets: [[0, deliveriesNow]] });
  });

  it('are told from a model that has read the record itself where it may be a second one, so that it knows which one came first', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(7, 60_001));

    expect(awaited).to.deep.include({ topic: 'events', offsets: [[0, 8]] });
  });

  it('are told without a wait for the model of events where nothing speaks for a second record', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(7));

    expect(awaited).to.deep.equal([{ topic: 'deliveries', offsets: [[0, deliveriesAfterHandOver]] }]);
  });

  it('are those of the partition of its id: what was recorded of other events is not waited for', async () => {
    const partitions = 12;
    const own = partitionOf(testEventId, partitions);
    const { awaited, of } = priorDeliveries({ partitions });
    await of({ ...recordAt(7), partition: own });

    expect(awaited).to.deep.equal([{ topic: 'deliveries', offsets: [[own, deliveriesAfterHandOver]] }]);
  });

  it('are looked up of an event in another partition than that of its id: another process may have met it', async () => {
    const partitions = 12;
    const own = partitionOf(testEventId, partitions);
    const elsewhere = { ...recordAt(endAtAssignment), partition: (own + 1) % partitions };

    expect(await priorDeliveries({ partitions }).of(elsewhere)).to.deep.equal([known]);
  });

  it('are none, without a look, of a fresh event in the partition of its id', async () => {
    const partitions = 12;
    const at = { ...recordAt(endAtAssignment), partition: partitionOf(testEventId, partitions) };

    expect(await priorDeliveries({ partitions }).of(at)).to.deep.equal([]);
  });

  it('are those of the event where its own record comes again', async () => {
    const { of } = priorDeliveries({ source: { partition: 0, offset: 7 } });

    expect(await of(recordAt(7))).to.deep.equal([known]);
  });

  for (const [what, source] of Object.entries({
    'the same partition': { partition: 0, offset: 6 },
    'another partition': { partition: 3, offset: 70 },
  })) {
    it(`do not matter where an earlier record in ${what} has brought the event: nothing is delivered`, async () => {
      expect(await priorDeliveries({ source }).of(recordAt(7))).to.equal('repeated');
    });
  }

  it('matter where an operator has taken the record back from the dead letters', async () => {
    const { of } = priorDeliveries({ source: { partition: 0, offset: 6 } });
    const headers = { dlq_redriven: Buffer.from('1') };

    expect(await of({ ...recordAt(7), headers })).to.deep.equal([known]);
  });
});
