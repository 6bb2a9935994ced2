import { join } from 'node:path';

import { startMongod } from '../../../stack/servers/mongod.js';
import { describeMachine } from '../../../stack/system/machine.js';
import { obtainPrograms } from '../../../stack/parts/programs.js';
import { startRedis } from '../../../stack/servers/redis.js';
import type { StackAddresses } from '../../../stack/stack.js';
import type { ServerHandle } from '../../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../../stack/processes/watchdog.js';
import { startKafkaCluster, type KafkaCluster } from '../../stack/kafkaCluster.js';
import { brokers } from './faultPlan.js';

/** The servers for faults: a cluster of three brokers, a MongoDB and a Redis. */
export interface FaultServers {
  readonly addresses: StackAddresses;
  readonly kafka: KafkaCluster;
  readonly mongodb: ServerHandle;
  readonly close: () => Promise<void>;
}

/** @param directory an empty directory for their data */
export async function startFaultServers(directory: string): Promise<FaultServers> {
  const programs = await obtainPrograms(describeMachine(process.env));
  const watchdog = createWatchdog();
  const host = { environment: process.env, watchdog };
  const placeOf = (name: string) => ({
    directory: join(directory, name),
    logFile: join(directory, 'logs', `${name}.log`),
  });
  const [kafka, mongodb, redis] = await Promise.all([
    startKafkaCluster({ brokers, directory: join(directory, 'kafka') }),
    startMongod({ ...placeOf('mongodb'), program: programs.mongod }, host),
    startRedis({ ...placeOf('redis'), program: programs.redisServer, persistent: false }, host),
  ]);
  return {
    addresses: {
      kafka: { brokers: [...kafka.brokers] },
      mongodb: { url: mongodb.url },
      redis: { url: redis.url },
    },
    kafka,
    mongodb: mongodb.server,
    close: async () => {
      await Promise.all([kafka.stop(), mongodb.server.kill(), redis.server.kill()]);
      watchdog.close();
    },
  };
}
