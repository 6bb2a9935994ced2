import { type KafkaProperties, type KafkaRuntime, newClusterId, startKafkaNode } from './kafkaNode.js';
import { loopback, portsOf, withFreePorts } from '../system/ports.js';
import type { FormerServer, ServerHandle, ServerHost } from '../processes/serverProcess.js';

/** Kafka settings for small clusters on loopback. The durability settings keep Kafka's defaults. */
export const localProperties: KafkaProperties = {
  'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'BROKER',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': false,
  'group.initial.rebalance.delay.ms': 0,
  // Kafka creates 50 partitions of each internal topic by default. A small cluster does not need 50 partitions, whose
  // files add a second to the start.
  'offsets.topic.num.partitions': 10,
  'transaction.state.log.num.partitions': 10,
  'share.coordinator.state.topic.num.partitions': 10,
  // The default buffer of Kafka's log cleaner is 128 MiB, which is almost the whole heap.
  'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
  // After a crash a broker can register again only when its previous session has expired. The default timeout of a
  // broker's session is 9 s.
  'broker.heartbeat.interval.ms': 500,
  'broker.session.timeout.ms': 3_000,
};

export interface KafkaOptions {
  readonly shortLived: boolean;
  readonly runtime: KafkaRuntime;
  readonly directory: string;
  readonly logFile: string;
  readonly former?: FormerServer | undefined;
}

const singleNodeHeapMebibytes = 384;

/**
 * Starts a Kafka cluster of one node on free ports, or with its former port. The data in `directory` is retained and used
 * by the next start. A former server that runs is used.
 */
export function startKafka(
  options: KafkaOptions,
  host: ServerHost,
): Promise<{ brokers: string[]; server: ServerHandle }> {
  return withFreePorts(
    2,
    async ([brokerPort = 0, controllerPort = 0]) => {
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
        options.former?.running,
      );
      return { brokers: [broker], server };
    },
    portsOf(options.former),
  );
}
