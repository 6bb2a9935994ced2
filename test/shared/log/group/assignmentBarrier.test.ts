import { once } from 'node:events';

import { expect } from 'chai';

import { createGroupOffsets } from '../../../../shared/log/client/groupOffsets.js';
import {
  createAssignmentBarrier,
  type PreparePartition,
} from '../../../../shared/log/group/assignmentBarrier.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { createTestConsumer, endOffsets, groupOf, startTestConsumer } from './member.js';

const waitMs = 30_000;

describe('the assignment barrier', function () {
  this.timeout(4 * waitMs);

  let log: TestLog;
  let handedOver: string[];

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '2' }, ['events']);
    handedOver = [];
    await append();
  });

  const append = () =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) => log.producer.append(plainRecord('events', `${index}`))),
    );

  const start = async (prepare: PreparePartition) => {
    const consumer = createAssignmentBarrier(createTestConsumer(log), prepare);
    await startTestConsumer(consumer, {
      onBatch: ({ partition }, { records, end }) => {
        handedOver.push(...records.map(({ offset }) => `${partition}/${offset}`));
        return Promise.resolve(end);
      },
    });
  };

  const positionsOf = async (...partitions: readonly number[]) => {
    const ends = await endOffsets(log);
    return partitions.flatMap((partition) =>
      Array.from({ length: ends[partition] ?? 0 }, (_, offset) => `${partition}/${offset}`),
    );
  };

  const whenHandedOver = (positions: readonly string[]) =>
    eventually(
      'all records',
      () => (positions.every((position) => handedOver.includes(position)) ? true : null),
      waitMs,
    );

  it('delays the records of a partition until it is prepared, and those of no other partition', async () => {
    const prepared = new AbortController();
    await start(async ({ partition }) => {
      await (partition === 0 ? once(prepared.signal, 'abort') : null);
      return null;
    });
    await whenHandedOver(await positionsOf(1));
    // A fetch of these records would also return records of the other partition.
    await append();
    await whenHandedOver(await positionsOf(1));
    const before = handedOver.filter((position) => position.startsWith('0/'));
    prepared.abort();
    await whenHandedOver(await positionsOf(0, 1));

    expect([before, handedOver.length]).to.deep.equal([[], 40]);
  });

  it('commits the offset that a preparation returns, and nothing if it returns none', async () => {
    const { committed } = createGroupOffsets(log.admin, log.config.topics.prefix);
    await start(({ partition }) => Promise.resolve(partition === 0 ? 0 : null));
    await whenHandedOver(await positionsOf(0, 1));

    expect(await committed(groupOf(log), 'events')).to.deep.equal([0, null]);
  });
});
