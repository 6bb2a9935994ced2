import { type KafkaProperties, type KafkaRuntime, newClusterId, startKafkaNode } from './kafkaNode.js';
import { loopback, withFreePorts } from '../system/ports.js';
import type { ServerHandle, ServerHost } from '../processes/serverProcess.js';

/** Settings for small clusters on loopback. Durability stays as Kafka has it. */
export const localProperties: KafkaProperties = {
  'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'BROKER',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': false,
  'group.initial.rebalance.delay.ms': 0,
  // 50 partitions of each by default: files and a second of start that a small cluster has no use for.
  'offsets.topic.num.partitions': 10,
  'transaction.state.log.num.partitions': 10,
  'share.coordinator.state.topic.num.partitions': 10,
  // 128 MiB by default, of a heap that has hardly more.
  'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
  // After a crash a broker is let in again only when its former session has ended: 9 s by default.
  'broker.heartbeat.interval.ms': 500,
  'broker.session.timeout.ms': 3_000,
};

export interface KafkaOptions {
  readonly shortLived: boolean;
  readonly runtime: KafkaRuntime;
  readonly directory: string;
  readonly logFile: string;
}

const singleNodeHeapMebibytes = 384;

/** Starts a Kafka of one node on free ports; its data in `directory` is kept and found again. */
export function startKafka(
  options: KafkaOptions,
  host: ServerHost,
): Promise<{ brokers: string[]; server: ServerHandle }> {
  return withFreePorts(2, async ([brokerPort = 0, controllerPort = 0]) => {
    const broker = `${loopback}:${String(brokerPort)}`;
    const controller = `${loopback}:${String(controllerPort)}`;
    const server = await startKafkaNode(
      {
        name: 'Kafka',
        directory: options.directory,
        logFile: options.logFile,
        clusterId: newClusterId(),
        heapMebibytes: singleNodeHeapMebibytes,
        shortLived: options.shortLived,
        properties: {
          ...localProperties,
          'node.id': 1,
          'process.roles': 'broker,controller',
          listeners: `BROKER://${broker},CONTROLLER://${controller}`,
          'advertised.listeners': `BROKER://${broker}`,
          'controller.quorum.voters': `1@${controller}`,
          'offsets.topic.replication.factor': 1,
          'transaction.state.log.replication.factor': 1,
          'transaction.state.log.min.isr': 1,
          'share.coordinator.state.topic.replication.factor': 1,
          'share.coordinator.state.topic.min.isr': 1,
        },
      },
      options.runtime,
      host,
    );
    return { brokers: [broker], server };
  });
}
