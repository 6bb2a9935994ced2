import { expect } from 'chai';
import { type Admin, Kafka, logLevel } from 'kafkajs';

import { isListening } from '../../stack/system/ports.js';
import { eventually } from '../support/eventually.js';
import { makeDirectory, removeDirectories } from './directories.js';
import { type KafkaCluster, startKafkaCluster } from './kafkaCluster.js';

describe('startKafkaCluster', () => {
  let cluster: KafkaCluster;

  before(async () => {
    cluster = await startKafkaCluster({ brokers: 3, directory: await makeDirectory() });
    await withAdmin(cluster.brokers, (admin) =>
      admin.createTopics({ topics: [{ topic: 'letters', numPartitions: 3 }] }),
    );
  });

  after(async () => {
    await cluster.stop();
    await removeDirectories();
  });

  /** Waits until exactly these brokers have all records of every partition, as they themselves report. */
  async function whenInSync(...ids: readonly number[]): Promise<void> {
    const asked = cluster.brokers.filter((_, index) => ids.includes(index + 1));
    await eventually(`only brokers ${ids.join()} being in sync`, async () => {
      const { topics } = await withAdmin(asked, (admin) => admin.fetchTopicMetadata({ topics: ['letters'] }));
      const replicas = topics.flatMap(({ partitions }) => partitions.map(({ isr }) => isr.toSorted().join()));
      return replicas.length === 3 && replicas.every((found) => found === ids.join()) ? true : null;
    });
  }

  it('replicates topics on three brokers', async () => {
    await whenInSync(1, 2, 3);
  });

  it('works without a broker that has lost its data, and restores that broker on the same port', async () => {
    await cluster.loseBroker(2);
    await whenInSync(1, 3);

    await cluster.startBroker(2);

    await whenInSync(1, 2, 3);
  });

  it('works without a broker that does not answer', async () => {
    cluster.pauseBroker(3);
    const accepts = await isListening(Number(cluster.brokers[2]?.split(':')[1]));
    await whenInSync(1, 2);

    cluster.resumeBroker(3);

    await whenInSync(1, 2, 3);
    expect(accepts).to.equal(true);
  });
});

async function withAdmin<Result>(
  brokers: readonly string[],
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    // A request may go to a paused broker. The next attempt uses another one.
    requestTimeout: 1_000,
  }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
