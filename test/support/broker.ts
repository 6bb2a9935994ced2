import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { localProperties } from '../../stack/servers/kafka.js';
import { type KafkaProperties, newClusterId, startKafkaNode } from '../../stack/servers/kafkaNode.js';
import { describeMachine } from '../../stack/system/machine.js';
import { obtainPrograms } from '../../stack/parts/programs.js';
import { loopback, withFreePorts } from '../../stack/system/ports.js';
import type { ServerHandle } from '../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { closeAtEndOfFile } from './fileResources.js';

/** A Kafka with one node, for tests that stop it or need other settings than the shared Kafka has. */
export interface TestBroker {
  readonly address: string;
  readonly server: ServerHandle;
  /** Ends it and deletes its data. */
  readonly close: () => Promise<void>;
}

const heapMebibytes = 256;

export async function startTestBroker(properties: KafkaProperties = {}): Promise<TestBroker> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-broker-'));
  const { java, kafkaLibs } = await obtainPrograms(describeMachine(process.env));
  const watchdog = createWatchdog();
  return withFreePorts(2, async ([brokerPort = 0, controllerPort = 0]) => {
    const address = `${loopback}:${brokerPort}`;
    const controller = `${loopback}:${controllerPort}`;
    const server = await startKafkaNode(
      {
        name: 'Kafka',
        directory: join(directory, 'kafka'),
        logFile: join(directory, 'kafka.log'),
        clusterId: newClusterId(),
        heapMebibytes,
        shortLived: true,
        properties: {
          ...localProperties,
          'node.id': 1,
          'process.roles': 'broker,controller',
          listeners: `BROKER://${address},CONTROLLER://${controller}`,
          'advertised.listeners': `BROKER://${address}`,
          'controller.quorum.voters': `1@${controller}`,
          'offsets.topic.replication.factor': 1,
          'transaction.state.log.replication.factor': 1,
          'transaction.state.log.min.isr': 1,
          ...properties,
        },
      },
      { java, libs: kafkaLibs },
      { environment: process.env, watchdog },
    );
    return {
      address,
      server,
      close: closeAtEndOfFile(async () => {
        await server.kill();
        watchdog.close();
        await rm(directory, { recursive: true, force: true });
      }),
    };
  });
}
