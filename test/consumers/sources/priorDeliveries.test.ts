import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { createOlderFirst } from '../../../consumers/sources/olderFirst.js';
import {
  createPriorDeliveries,
  createRecentEventIds,
  nothingKnown,
} from '../../../consumers/sources/priorDeliveries.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { evolveDelivery } from '../../../shared/domain/deliveries/evolveDelivery.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import type { LogPosition } from '../../../shared/log/records/retry.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { succeeded, testEventId } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const known: Delivery = evolveDelivery(null, succeeded());

/** The end of the event's partition at its assignment, the ends of `deliveries` at two moments, and all ends now. */
const endAtAssignment = 100;
const deliveriesAtAssignment = 7;
const endsNow = 9;
const deliveriesAfterHandOver = 8;

/**
 * A look-up over a model with one outcome of the event, after `looked`. `source` is the position of another record of the
 * event.
 */
function priorDeliveries({
  partitions = 1,
  source,
  matched,
  looked = () => Promise.resolve(),
  assignedAt = performance.now(),
}: {
  partitions?: number;
  source?: LogPosition;
  matched?: true;
  looked?: () => Promise<void>;
  assignedAt?: number;
} = {}) {
  const lost = new AbortController();
  const awaited: unknown[] = [];
  const filled = (end: number) => Array.from({ length: partitions }, () => end);
  const predatesAssignment = ({ offset }: RawRecord) => offset < endAtAssignment;
  const priorDeliveries = createPriorDeliveries({
    assignments: {
      of: () =>
        Promise.resolve({
          assignedAt,
          predatesAssignment,
          deliveries: filled(deliveriesAtAssignment),
          deliveriesAfterHandOver: () => Promise.resolve(filled(deliveriesAfterHandOver)),
        }),
    },
    offsets: { ends: () => Promise.resolve(filled(endsNow)) },
    states: {
      knownOf: async (_id, wanted) => {
        awaited.push(...wanted.map(({ topic, offsets }) => ({ topic, offsets: [...offsets] })));
        await looked();
        return {
          deliveries: [known],
          ...(source === undefined ? {} : { source: { ...source, appended: 0 } }),
          ...(matched && { matched }),
        };
      },
    },
    recentEvents: createRecentEventIds(10),
    olderFirst: createOlderFirst(),
  });
  return {
    awaited,
    lose: () => {
      lost.abort();
    },
    of: (record: RawRecord, eventId = testEventId, isOverShare = false) =>
      priorDeliveries(eventId, record, lost.signal, { isOverShare }),
  };
}

function recordAt(offset: number, lateMs = 0): RawRecord {
  const record = rawRecord(plainRecord('events', testEventId), { partition: 0, offset });
  return { ...record, timestamp: start.getTime() + lateMs };
}

const ofTenantA = { ce_source: '/accounts/acct_a', ce_tenantid: 'a' };

/** Newer events that need no look-up, while the look-up of an older event of tenant A lasts until `end`. */
async function duringLookUp({ assignedMsAgo = 0 } = {}) {
  let end: () => void = () => undefined;
  const looked = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { lose, of } = priorDeliveries({
    looked: () => looked,
    assignedAt: performance.now() - assignedMsAgo,
  });
  const ofOwner = (record: RawRecord, owner: Readonly<Record<string, string>>): RawRecord => ({
    ...record,
    headers: Object.fromEntries(Object.entries(owner).map(([name, text]) => [name, Buffer.from(text)])),
  });
  const older = of(ofOwner(recordAt(endAtAssignment - 1), ofTenantA));
  await endOfTurn();
  return {
    lose,
    endLookUp: async () => {
      end();
      await older;
    },
    newer: (owner: Readonly<Record<string, string>>, isOverShare = false) =>
      of(ofOwner(recordAt(endAtAssignment), owner), testIdentifier('evt', 2), isOverShare),
  };
}

async function isWaiting(result: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([result, endOfTurn('waiting')])) === 'waiting';
}

describe('a newer event that needs no look-up', () => {
  it('waits for the look-ups of older events of its account and tenant', async () => {
    const { newer, endLookUp } = await duringLookUp();
    const result = newer(ofTenantA);
    const waited = await isWaiting(result);
    await endLookUp();

    expect([waited, await result]).to.deep.equal([true, nothingKnown]);
  });

  const others = {
    'another tenant': { ...ofTenantA, ce_tenantid: 'b' },
    'no tenant': { ce_source: ofTenantA.ce_source },
    'another account': { ...ofTenantA, ce_source: '/accounts/acct_b' },
  };
  for (const [whose, owner] of Object.entries(others)) {
    it(`does not wait if it is of ${whose}`, async () => {
      const { newer, endLookUp } = await duringLookUp();
      const waited = await isWaiting(newer(owner));
      await endLookUp();

      expect(waited).to.equal(false);
    });
  }

  it('does not wait if its owner is over its share, because its deferral frees room in the window', async () => {
    const { newer, endLookUp } = await duringLookUp();
    const waited = await isWaiting(newer(ofTenantA, true));
    await endLookUp();

    expect(waited).to.equal(false);
  });

  it('does not wait for a look-up that begins 3 s after the assignment', async () => {
    const { newer, endLookUp } = await duringLookUp({ assignedMsAgo: 3000 });
    const waited = await isWaiting(newer(ofTenantA));
    await endLookUp();

    expect(waited).to.equal(false);
  });

  it('is abandoned if the partition is lost during the wait', async () => {
    const { newer, lose, endLookUp } = await duringLookUp();
    const result = newer(ofTenantA);
    const waited = [await isWaiting(result)];
    lose();
    waited.push(await isWaiting(result));
    await endLookUp();

    expect([waited, await result]).to.deep.equal([[true, false], null]);
  });
});

describe('the prior deliveries of an event', () => {
  it('are none, without a look-up, if a new event was appended after the assignment', async () => {
    expect(await priorDeliveries().of(recordAt(endAtAssignment))).to.deep.equal({
      deliveries: [],
      areComplete: false,
    });
  });

  it('are looked up if the event was in the log at the assignment', async () => {
    expect(await priorDeliveries().of(recordAt(endAtAssignment - 1))).to.deep.equal({
      deliveries: [known],
      areComplete: false,
    });
  });

  it('are complete if the log contains the webhooks that match the event', async () => {
    const { of } = priorDeliveries({ matched: true });
    expect(await of(recordAt(endAtAssignment - 1))).to.deep.equal({ deliveries: [known], areComplete: true });
  });

  for (const lateMs of [-60_001, 60_001]) {
    it(`are looked up if the record is ${lateMs} ms apart from the time of the event id`, async () => {
      expect(await priorDeliveries().of(recordAt(endAtAssignment, lateMs))).to.deep.equal({
        deliveries: [known],
        areComplete: false,
      });
    });
  }

  it('are looked up if a second record contains the event', async () => {
    const { of } = priorDeliveries();
    await of(recordAt(endAtAssignment));

    expect(await of(recordAt(endAtAssignment + 1))).to.deep.equal({
      deliveries: [known],
      areComplete: false,
    });
  });

  it('are looked up if the first record was appended before the assignment and the second after it', async () => {
    const { of } = priorDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(await of(recordAt(endAtAssignment))).to.deep.equal({ deliveries: [known], areComplete: false });
  });

  it('include the attempts that the previous owner finished after the assignment, if the event was in the log before it', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(endAtAssignment - 1));

    expect(awaited).to.deep.include({ topic: 'deliveries', offsets: [[0, deliveriesAfterHandOver]] });
  });

  it('include all outcomes that the log contains now, if the event may be repeated', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(endAtAssignment, 60_001));

    expect(awaited).to.deep.include({ topic: 'deliveries', offsets: [[0, endsNow]] });
  });

  it('are read from a model that has passed the record, if it may be a second record of the event', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(7, 60_001));

    expect(awaited).to.deep.include({ topic: 'events', offsets: [[0, 8]] });
  });

  it('are read without a wait for the topic events, if it cannot be a second record of the event', async () => {
    const { awaited, of } = priorDeliveries();
    await of(recordAt(7));

    expect(awaited).to.deep.equal([{ topic: 'deliveries', offsets: [[0, deliveriesAfterHandOver]] }]);
  });

  it('wait only for the partition of the record', async () => {
    const partitions = 12;
    const own = placementOf({ id: testEventId }, partitions);
    const { awaited, of } = priorDeliveries({ partitions });
    await of({ ...recordAt(7), partition: own });

    expect(awaited).to.deep.equal([{ topic: 'deliveries', offsets: [[own, deliveriesAfterHandOver]] }]);
  });

  it('are looked up if the event is outside its placement', async () => {
    const partitions = 12;
    const own = placementOf({ id: testEventId }, partitions);
    const elsewhere = { ...recordAt(endAtAssignment), partition: (own + 1) % partitions };

    expect(await priorDeliveries({ partitions }).of(elsewhere)).to.deep.equal({
      deliveries: [known],
      areComplete: false,
    });
  });

  it('are none, without a look-up, if a new event is in its placement', async () => {
    const partitions = 12;
    const at = { ...recordAt(endAtAssignment), partition: placementOf({ id: testEventId }, partitions) };

    expect(await priorDeliveries({ partitions }).of(at)).to.deep.equal({
      deliveries: [],
      areComplete: false,
    });
  });

  it('wait for the placement of an event outside of it, which may contain an earlier record', async () => {
    const partitions = 12;
    const placement = placementOf({ id: testEventId }, partitions);
    const partition = (placement + 1) % partitions;
    const { awaited, of } = priorDeliveries({ partitions });
    await of({ ...recordAt(endAtAssignment), partition });

    expect(awaited).to.deep.equal([
      {
        topic: 'deliveries',
        offsets: [
          [partition, endsNow],
          [placement, endsNow],
        ],
      },
      { topic: 'events', offsets: [[partition, endAtAssignment + 1]] },
      { topic: 'events', offsets: [[placement, endsNow]] },
    ]);
  });

  it('wait for the partition in which the event was seen before', async () => {
    const partitions = 12;
    const partition = placementOf({ id: testEventId }, partitions);
    const seenIn = (partition + 1) % partitions;
    const { awaited, of } = priorDeliveries({ partitions });
    await of({ ...recordAt(endAtAssignment), partition: seenIn });
    awaited.length = 0;
    await of({ ...recordAt(endAtAssignment), partition });

    expect(awaited).to.deep.include({ topic: 'events', offsets: [[seenIn, endsNow]] });
  });

  it('wait for all partitions of `events` if the id is old', async () => {
    const { awaited, of } = priorDeliveries({ partitions: 3 });
    await of(recordAt(endAtAssignment, 60_001));

    expect(awaited).to.deep.include({
      topic: 'events',
      offsets: [
        [0, endsNow],
        [1, endsNow],
        [2, endsNow],
      ],
    });
  });

  it('are those in the model if the same record is read again', async () => {
    const { of } = priorDeliveries({ source: { partition: 0, offset: 7 } });

    expect(await of(recordAt(7))).to.deep.equal({ deliveries: [known], areComplete: false });
  });

  for (const [what, source] of Object.entries({
    'the same partition': { partition: 0, offset: 6 },
    'another partition': { partition: 3, offset: 70 },
  })) {
    it(`are "repeated" if an earlier record in ${what} contains the event`, async () => {
      expect(await priorDeliveries({ source }).of(recordAt(7))).to.equal('repeated');
    });
  }

  it('are those in the model if an operator has redriven the record from the dead letters', async () => {
    const { of } = priorDeliveries({ source: { partition: 0, offset: 6 } });
    const headers = { dlq_redriven: Buffer.from('1') };

    expect(await of({ ...recordAt(7), headers })).to.deep.equal({ deliveries: [known], areComplete: false });
  });
});

function recordIn(partition: number, offset: number): RawRecord {
  return rawRecord(
    { topic: 'events', key: 'evt', value: Buffer.from('{}'), headers: {} },
    { partition, offset },
  );
}

describe('the recent event ids', () => {
  it('have not seen a new event', () => {
    expect(createRecentEventIds(10).seenIn('evt_1', recordIn(1, 5))).to.equal(null);
  });

  it('have not seen an event in another record if the same record is read again', () => {
    const recent = createRecentEventIds(10);
    recent.seenIn('evt_1', recordIn(1, 5));

    expect(recent.seenIn('evt_1', recordIn(1, 5))).to.equal(null);
  });

  for (const [what, record] of [
    ['another offset', recordIn(1, 6)],
    ['another partition', recordIn(2, 5)],
  ] as const) {
    it(`have seen an event in the partition of the first record at ${what}`, () => {
      const recent = createRecentEventIds(10);
      recent.seenIn('evt_1', recordIn(1, 5));

      expect(recent.seenIn('evt_1', record)).to.equal(1);
    });
  }

  it('compare with the first record of an event', () => {
    const recent = createRecentEventIds(10);
    const seen = [5, 6, 6, 5].map((offset) => recent.seenIn('evt_1', recordIn(1, offset)));

    expect(seen).to.deep.equal([null, 1, 1, null]);
  });

  it('distinguish events', () => {
    const recent = createRecentEventIds(10);
    recent.seenIn('evt_1', recordIn(1, 5));

    expect(recent.seenIn('evt_2', recordIn(1, 6))).to.equal(null);
  });

  it('remember as many events as their capacity', () => {
    const recent = createRecentEventIds(3);
    [1, 2, 3].forEach((number) => recent.seenIn(`evt_${number}`, recordIn(1, number)));

    expect([1, 2, 3].map((number) => recent.seenIn(`evt_${number}`, recordIn(1, 9)))).to.deep.equal([
      1, 1, 1,
    ]);
  });

  it('evict the oldest event first', () => {
    const recent = createRecentEventIds(3);
    [1, 2, 3, 4].forEach((number) => recent.seenIn(`evt_${number}`, recordIn(1, number)));

    expect([4, 3, 2, 1].map((number) => recent.seenIn(`evt_${number}`, recordIn(1, 9)))).to.deep.equal([
      1,
      1,
      1,
      null,
    ]);
  });
});
