import { once } from 'node:events';

import { expect } from 'chai';
import type { Cluster } from 'kafkajs';
import { PartitionAssigners } from 'kafkajs';

import type { GroupConsumerSettings } from '../../../../shared/log/group/kafkajsConsumer.js';
import { eventually } from '../../../support/eventually.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { createTestConsumer, groupOf, startTestConsumer } from './member.js';

/** Much longer than the append and the fetch of a record, even on a slow machine. */
const restMs = 2000;

/** The records of one batch. */
interface Handed {
  readonly keys: readonly string[];
}

const append = (log: TestLog, key: string) => log.producer.append(plainRecord('events', key));

const openLog = (partitions = 1) => openTestLog({ POSTRIDER_PARTITIONS: String(partitions) }, ['events']);

/** Resolves once the member has its partition, so that only the settings delay later records. */
async function start(log: TestLog, settings: Pick<GroupConsumerSettings, 'restMs' | 'maximumBytesPerFetch'>) {
  const handed: Handed[] = [];
  const assigned = new AbortController();
  const joined = once(assigned.signal, 'abort');
  await startTestConsumer(createTestConsumer(log, settings), {
    onAssignment: () => {
      assigned.abort();
    },
    onBatch: (_partition, { records, end }) => {
      handed.push({ keys: records.map(({ key }) => String(key)) });
      return Promise.resolve(end);
    },
  });
  await joined;
  const whenHanded = (key: string) =>
    eventually(`the record ${key}`, () => handed.find(({ keys }) => keys.includes(key)) ?? null);
  return { handed, whenHanded };
}

/** A member that notes how many partitions it has after each call. */
async function startNoting(log: TestLog, onRebalancing: () => Promise<void>): Promise<readonly number[]> {
  const counts: number[] = [];
  const onAssignment = (assigned: readonly unknown[]) => counts.push(assigned.length);
  await startTestConsumer(createTestConsumer(log), { onAssignment, onRebalancing });
  return counts;
}

/** Removes a member from its group, as the coordinator does when the session of a paused process expires. */
async function remove(log: TestLog, memberId: string): Promise<void> {
  const clusters: Cluster[] = [];
  const consumer = log.kafka.consumer({
    groupId: `${groupOf(log)}-other`,
    partitionAssigners: [
      (context) => {
        clusters.push(context.cluster);
        return PartitionAssigners.roundRobin(context);
      },
    ],
  });
  closeAtEndOfFile(() => consumer.disconnect());
  await consumer.connect();
  const coordinator: unknown = await clusters[0]?.findGroupCoordinator({ groupId: groupOf(log) });
  const leaveGroup: unknown = Reflect.get(Object(coordinator), 'leaveGroup');
  if (typeof leaveGroup !== 'function') {
    throw new Error('this version of kafkajs cannot remove a member from its group');
  }
  await Reflect.apply(leaveGroup, coordinator, [{ groupId: groupOf(log), memberId }]);
}

const memberIdsOf = async (log: TestLog): Promise<readonly string[]> => {
  const { groups } = await log.admin.describeGroups([groupOf(log)]);
  return groups.flatMap(({ members }) => members.map(({ memberId }) => memberId));
};

describe('a group consumer', () => {
  it('hands over in one batch the records that are appended while it rests', async () => {
    const log = await openLog();
    const { handed, whenHanded } = await start(log, { restMs });
    await append(log, 'first');
    await whenHanded('first');
    await append(log, 'second');
    await append(log, 'third');
    await whenHanded('third');

    expect(handed.map(({ keys }) => keys)).to.deep.equal([['first'], ['second', 'third']]);
  });

  it('fetches no more bytes than its limit, except for a larger first batch', async () => {
    const log = await openLog();
    await append(log, 'first');
    await append(log, 'second');
    const { handed, whenHanded } = await start(log, { maximumBytesPerFetch: 1 });
    await whenHanded('second');

    expect(handed.map(({ keys }) => keys)).to.deep.equal([['first'], ['second']]);
  });

  it('has no partition once it notices that the group has removed it, although the other members still work', async () => {
    const log = await openLog(2);
    const isRemoved = new AbortController();
    const first = await startNoting(log, () => Promise.resolve());
    await eventually('the first assignment', () => (first.includes(2) ? true : null));
    const [memberId = ''] = await memberIdsOf(log);
    // The other member hands over only after the first one knows of its removal, or at the limit of a hand-over.
    const second = await startNoting(log, () => once(isRemoved.signal, 'abort').then(() => undefined));
    await eventually('a partition for each', () => (first.at(-1) === 1 && second.at(-1) === 1 ? true : null));
    const before = first.length;
    await remove(log, memberId);
    await eventually('another call', () => (first.length > before ? true : null));
    isRemoved.abort();

    expect(first[before]).to.equal(0);
  });
});
