import { expect } from 'chai';
import { PartitionAssigners, type Cluster, type Consumer } from 'kafkajs';

import type { GroupConsumer } from '../../../../shared/log/group/groupConsumer.js';
import { eventually } from '../../../support/eventually.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { createTestConsumer, groupOf, startTestConsumer } from './member.js';

const records = 60;
const waitMs = 20_000;
const events = { topic: 'events', partition: 0 } as const;

async function openLog(partitions: number): Promise<TestLog> {
  const log = await openTestLog({ POSTRIDER_PARTITIONS: String(partitions) }, ['events']);
  const keys = Array.from({ length: records * partitions }, (_, index) => `record-${index}`);
  await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
  return log;
}

/** The committed offset of a partition; null if the group has none. */
async function committedOf(log: TestLog, partition = 0): Promise<number | null> {
  const topic = `${log.config.topics.prefix}events`;
  const [found] = await log.admin.fetchOffsets({ groupId: groupOf(log), topics: [topic] });
  const offset = Number(found?.partitions.find((one) => one.partition === partition)?.offset);
  return offset < 0 ? null : offset;
}

interface Member extends GroupConsumer {
  /** The first offset of each batch. */
  readonly begins: readonly number[];
  readonly losses: readonly Error[];
}

/** A member that accepts every batch, and commits the offsets that the test gives. */
async function startMember(log: TestLog): Promise<Member> {
  const begins: number[] = [];
  const losses: Error[] = [];
  const consumer = createTestConsumer(log);
  await startTestConsumer(consumer, {
    onBatch: (_partition, { begin, end }) => {
      begins.push(begin);
      return Promise.resolve(end);
    },
    onLost: (error) => losses.push(error),
  });
  return { ...consumer, begins, losses };
}

const whenRead = (member: Member) =>
  eventually('a batch', () => (member.begins.length > 0 ? true : null), waitMs);

const commit = (member: Member, offset: number) =>
  eventually('a commit', async () => ((await member.commit([{ ...events, offset }])) ? true : null), waitMs);

describe('a commit', function () {
  this.timeout(8 * waitMs);

  it('is not repeated in a later generation of the group, in which another member has committed more', async () => {
    const log = await openLog(2);
    const topic = `${log.config.topics.prefix}events`;
    const owned = new Map<Consumer, readonly number[]>();
    const clusters: Cluster[] = [];
    const start = async () => {
      const consumer = log.kafka.consumer({
        groupId: groupOf(log),
        maxWaitTimeInMs: 100,
        heartbeatInterval: 200,
        retry: { initialRetryTime: 4000, retries: 5 },
        partitionAssigners: [
          (context) => {
            clusters.push(context.cluster);
            return PartitionAssigners.roundRobin(context);
          },
        ],
      });
      closeAtEndOfFile(() => consumer.disconnect());
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
        owned.set(consumer, payload.memberAssignment[topic] ?? []);
      });
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
      return consumer;
    };
    const whenOwning = (consumer: Consumer, count: number) =>
      eventually(
        `${count} partitions`,
        () => {
          const own = owned.get(consumer) ?? [];
          return own.length === count ? own : null;
        },
        waitMs,
      );
    const first = await start();
    await whenOwning(first, 2);
    // The first request fails as if the connection were lost, so kafkajs repeats it.
    const coordinator = await clusters[0]?.findGroupCoordinator({ groupId: groupOf(log) });
    const method = 'offsetCommit';
    Reflect.set(coordinator ?? {}, method, () => {
      Reflect.deleteProperty(coordinator ?? {}, method);
      return Promise.reject(new Error('the connection is lost'));
    });
    const late = first
      .commitOffsets([0, 1].map((partition) => ({ topic, partition, offset: '10' })))
      .catch(() => undefined);
    const second = await start();
    const [taken = -1] = await whenOwning(second, 1);
    await eventually(
      'the commit of the new owner',
      () =>
        second.commitOffsets([{ topic, partition: taken, offset: '50' }]).then(
          () => true,
          () => null,
        ),
      waitMs,
    );
    await late;
    expect(await committedOf(log, taken)).to.equal(50);
  });

  it('of a lower offset by another member ends no process that has committed a higher one', async () => {
    const log = await openLog(1);
    const first = await startMember(log);
    await whenRead(first);
    await commit(first, 40);
    const second = await startMember(log);
    await commit(second, 10);
    await second.stop();
    await eventually(
      'a batch from the lower offset',
      () => (first.begins.includes(10) ? true : (first.losses[0] ?? null)),
      waitMs,
    );
    expect(first.losses).to.deep.equal([]);
  });

  it('is not made for an offset out of range, from which reading continues at the start of the log', async () => {
    const log = await openLog(1);
    const former = await startMember(log);
    await whenRead(former);
    await commit(former, 5);
    await former.stop();
    await log.admin.deleteTopicRecords({
      topic: `${log.config.topics.prefix}events`,
      partitions: [{ partition: 0, offset: '30' }],
    });
    const { begins } = await startMember(log);
    await eventually('a batch', () => (begins.length > 0 ? true : null), waitMs);
    expect([begins[0], await committedOf(log)]).to.deep.equal([30, 5]);
  });
});
