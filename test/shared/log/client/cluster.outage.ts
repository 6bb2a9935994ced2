import { expect } from 'chai';

import { waitForGroups } from '../../../../shared/log/client/topicAdministration.js';
import { makeDirectory, removeDirectories } from '../../../stack/directories.js';
import { type KafkaCluster, startKafkaCluster } from '../../../stack/kafkaCluster.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, type TestLog } from '../../../support/log.js';
import { readTopic } from '../../../support/readTopic.js';
import { endOffsets } from '../group/member.js';
import { startWriting, type Writing } from '../producer/writing.js';

const records = 10_000;
const callers = 50;
const boundMs = 30_000;

/** The leader of partition 0, right before its failure. */
interface LeaderBefore {
  readonly broker: number;
  /** The partitions that it led. */
  readonly led: ReadonlySet<number>;
  readonly inFlight: number;
  /** How many appends to the partitions that it led had been acknowledged. */
  readonly acknowledgedThere: number;
  readonly at: number;
}

describe('the log producer on three brokers', () => {
  let cluster: KafkaCluster;

  before(async () => {
    cluster = await startKafkaCluster({ brokers: 3, directory: await makeDirectory() });
  });

  after(async () => {
    await cluster.stop();
    await removeDirectories();
  });

  /** Appends records while `fail` stops the broker that leads partition 0, and reads the log afterwards. */
  async function sendWhile(fail: (broker: number, writing: Writing) => Promise<void>) {
    const log = await openTestLog({
      KAFKA_BROKERS: cluster.brokers.join(),
      POSTRIDER_PARTITIONS: '6',
      POSTRIDER_REPLICATION: '3',
    });
    try {
      await waitForGroups(log.admin);
      const writing = startWriting(log.producer, { callers, records });
      await eventually(
        'a third of the records',
        () => (writing.acknowledged.size > records / 3 ? true : null),
        boundMs,
      );
      const before = await describeLeader(log, writing);
      await fail(before.broker, writing);
      await writing.done;
      const tookMs = performance.now() - before.at;
      const total = (await endOffsets(log)).reduce((sum, end) => sum + end, 0);
      const found = await readTopic(log, `${log.config.topics.prefix}events`, total);
      return { before, writing, tookMs, found };
    } finally {
      await log.close();
    }
  }

  async function describeLeader(log: TestLog, writing: Writing): Promise<LeaderBefore> {
    const topic = `${log.config.topics.prefix}events`;
    const { topics } = await log.admin.fetchTopicMetadata({ topics: [topic] });
    const leaders = topics.flatMap(({ partitions }) => partitions);
    const broker = leaders.find(({ partitionId }) => partitionId === 0)?.leader ?? 0;
    const led = new Set(
      leaders.filter(({ leader }) => leader === broker).map(({ partitionId }) => partitionId),
    );
    return {
      broker,
      led,
      inFlight: writing.inFlight(),
      acknowledgedThere: acknowledgedIn(led, writing),
      at: performance.now(),
    };
  }

  const failures = {
    'is killed and restarted': async (broker: number) => {
      await cluster.killBroker(broker);
      await cluster.startBroker(broker);
    },
    'is permanently lost with its disk': async (broker: number, writing: Writing) => {
      // Records that no follower has copied are on the lost disk alone. The leader must not have acknowledged them.
      const followers = [1, 2, 3].filter((id) => id !== broker);
      followers.forEach(cluster.pauseBroker);
      const before = writing.acknowledged.size;
      await eventually('no further acknowledgement', () =>
        writing.quietMs() > 300 || writing.acknowledged.size > before + 500 ? true : null,
      );
      await cluster.loseBroker(broker);
      followers.forEach(cluster.resumeBroker);
    },
  };

  for (const [failure, fail] of Object.entries(failures)) {
    describe(`while a leader ${failure}`, () => {
      let outcome: Awaited<ReturnType<typeof sendWhile>>;

      before(async () => {
        outcome = await sendWhile(fail);
      });

      it('appends to partitions that the leader led before its failure', () => {
        const { led, acknowledgedThere } = outcome.before;
        expect([led.size > 0, acknowledgedThere > 0]).to.deep.equal([true, true]);
      });

      it('has appends in flight at the failure', () => {
        expect(outcome.before.inFlight).to.equal(callers);
      });

      it('keeps every acknowledged record, at the position that its append resolved with', () => {
        const keys = new Map(
          outcome.found.map(({ partition, offset, key }) => [`${partition}/${offset}`, key?.toString()]),
        );
        const misplaced = [...outcome.writing.acknowledged].filter(
          ([key, { partition, offset }]) => keys.get(`${partition}/${offset}`) !== key,
        );
        expect(misplaced).to.deep.equal([]);
      });

      it('keeps the order in which the records of a partition were appended', () => {
        expect(overtakenIn(outcome.writing)).to.deep.equal([]);
      });

      it('resolves or rejects every append', () => {
        expect(outcome.writing.acknowledged.size + outcome.writing.failed.size).to.equal(records);
      });

      it('continues to append to the partitions that the broker led', () => {
        const { led, acknowledgedThere } = outcome.before;
        expect(acknowledgedIn(led, outcome.writing)).to.be.greaterThan(acknowledgedThere + callers);
      });

      it('has appended all records within thirty seconds of the failure', () => {
        expect(outcome.tookMs).to.be.lessThan(boundMs);
      });
    });
  }
});

/** Acknowledged records with a lower offset than a record of their partition that was appended earlier. */
function overtakenIn({ acknowledged }: Writing): readonly string[] {
  const ends = new Map<number, number>();
  const inOrder = [...acknowledged].toSorted(([one], [other]) => numberOf(one) - numberOf(other));
  return inOrder.flatMap(([key, { partition, offset }]) => {
    const end = ends.get(partition) ?? -1;
    ends.set(partition, Math.max(end, offset));
    return offset > end ? [] : [key];
  });
}

function numberOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('-') + 1));
}

function acknowledgedIn(partitions: ReadonlySet<number>, { acknowledged }: Writing): number {
  return [...acknowledged.values()].filter(({ partition }) => partitions.has(partition)).length;
}
