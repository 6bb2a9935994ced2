import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type KafkaNode,
  type KafkaProperties,
  type KafkaRuntime,
  newClusterId,
  startKafkaNode,
} from '../../stack/servers/kafkaNode.js';
import { localProperties } from '../../stack/servers/kafka.js';
import { loopback, withFreePorts } from '../../stack/system/ports.js';
import type { ServerHandle, ServerHost } from '../../stack/processes/serverProcess.js';
import { allOf } from '../../stack/system/allOf.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { obtainPrograms } from '../../stack/parts/programs.js';
import { describeMachine } from '../../stack/system/machine.js';

export interface KafkaClusterOptions {
  readonly brokers: number;
  /** An empty directory for this cluster alone. */
  readonly directory: string;
}

/** A cluster whose brokers a test stops. They are numbered from 1. Each call resolves when it has taken effect. */
export interface KafkaCluster {
  /** `host:port` of every broker, in the order of their ids. A restart does not change them. */
  readonly brokers: readonly string[];
  /** SIGKILL: a crash of the broker, which keeps its data. */
  killBroker: (id: number) => Promise<void>;
  /** An orderly stop. The broker's partitions get other leaders first. */
  stopBroker: (id: number) => Promise<void>;
  /** A start on the same port. A broker that has lost its data copies it from the others. */
  startBroker: (id: number) => Promise<void>;
  /** A crash, and the loss of the broker's disk. */
  loseBroker: (id: number) => Promise<void>;
  /** SIGSTOP: the broker's connections stay open, and it does not answer. */
  pauseBroker: (id: number) => void;
  resumeBroker: (id: number) => void;
  stop: () => Promise<void>;
}

const controllerId = 100;
const brokerHeapMebibytes = 256;
const controllerHeapMebibytes = 128;
const mostReplicas = 3;

/**
 * Starts brokers and a separate controller, so that a test may stop any broker, or even all. If the brokers were controllers too, the
 * quorum would be lost with them. Topics have three replicas (fewer if there are fewer brokers), two of which must be in sync. All
 * processes end with this one, however it ends.
 */
export async function startKafkaCluster(options: KafkaClusterOptions): Promise<KafkaCluster> {
  const watchdog = createWatchdog();
  try {
    const { java, kafkaLibs: libs } = await obtainPrograms(describeMachine(process.env));
    return await withFreePorts(options.brokers + 1, (ports) =>
      startNodes({
        ...options,
        ports,
        runtime: { java, libs },
        host: { environment: process.env, watchdog },
      }),
    );
  } catch (error) {
    watchdog.close();
    throw error;
  }
}

interface ClusterContext extends KafkaClusterOptions {
  readonly ports: readonly number[];
  readonly runtime: KafkaRuntime;
  readonly host: ServerHost;
}

async function startNodes(context: ClusterContext): Promise<KafkaCluster> {
  const { runtime, host } = context;
  const [controllerPort = 0, ...brokerPorts] = context.ports;
  const plans = planNodes(context, controllerPort, brokerPorts);
  const start = (plan: KafkaNode) => startKafkaNode(plan, runtime, host);
  const starts = [plans.controller, ...plans.brokers].map(start);
  const handles = await allOf(starts).catch(async (error: unknown) => {
    const started = await Promise.allSettled(starts);
    await Promise.all(
      started.map(async (node) => (node.status === 'fulfilled' ? node.value.kill() : undefined)),
    );
    throw error;
  });
  return createCluster({ addresses: brokerPorts.map(addressOf), plans: plans.brokers, handles, start, host });
}

interface ClusterParts {
  readonly addresses: readonly string[];
  readonly plans: readonly KafkaNode[];
  /** The port of the controller, then those of the brokers. */
  readonly handles: ServerHandle[];
  readonly start: (plan: KafkaNode) => Promise<ServerHandle>;
  readonly host: ServerHost;
}

function createCluster({ addresses, plans, handles, start, host }: ClusterParts): KafkaCluster {
  const broker = (id: number) => known(id === 0 ? undefined : handles[id], id);
  return {
    brokers: addresses,
    killBroker: (id) => broker(id).kill(),
    stopBroker: (id) => broker(id).stop(),
    pauseBroker: (id) => {
      broker(id).pause();
    },
    resumeBroker: (id) => {
      broker(id).resume();
    },
    async startBroker(id) {
      handles[id] = await start(known(plans[id - 1], id));
    },
    async loseBroker(id) {
      await broker(id).kill();
      await rm(known(plans[id - 1], id).directory, { recursive: true, force: true });
    },
    async stop() {
      const [controller, ...brokers] = handles;
      // Without a controller no broker hands over its partitions. That saves time, since the data is deleted.
      await Promise.all(brokers.map((node) => node.kill()));
      await controller?.kill();
      host.watchdog.close();
    },
  };
}

function known<Value>(value: Value | undefined, id: number): Value {
  if (value === undefined) {
    throw new RangeError(`There is no broker ${id}.`);
  }
  return value;
}

function planNodes(
  context: ClusterContext,
  controllerPort: number,
  brokerPorts: readonly number[],
): { controller: KafkaNode; brokers: KafkaNode[] } {
  const clusterId = newClusterId();
  const place = (name: string) => ({
    name,
    clusterId,
    shortLived: true,
    directory: join(context.directory, name),
    logFile: join(context.directory, 'logs', `${name}.log`),
  });
  const shared: KafkaProperties = {
    ...localProperties,
    ...replication(brokerPorts.length),
    'controller.quorum.voters': `${controllerId}@${addressOf(controllerPort)}`,
  };
  return {
    controller: {
      ...place('controller'),
      heapMebibytes: controllerHeapMebibytes,
      properties: {
        ...shared,
        'node.id': controllerId,
        'process.roles': 'controller',
        'default.replication.factor': Math.min(brokerPorts.length, mostReplicas),
        listeners: `CONTROLLER://${addressOf(controllerPort)}`,
      },
    },
    brokers: brokerPorts.map((port, index) => ({
      ...place(`broker-${index + 1}`),
      heapMebibytes: brokerHeapMebibytes,
      properties: {
        ...shared,
        'node.id': index + 1,
        'process.roles': 'broker',
        listeners: `BROKER://${addressOf(port)}`,
        'advertised.listeners': `BROKER://${addressOf(port)}`,
      },
    })),
  };
}

function replication(brokers: number): KafkaProperties {
  const replicas = Math.min(brokers, mostReplicas);
  const inSync = Math.min(brokers, 2);
  return {
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

function addressOf(port: number): string {
  return `${loopback}:${port}`;
}
