import type { Clock } from '../core/clock.js';
import type { Logger } from '../core/logger.js';
import { checkEncryptionKeys } from '../encryption/encryptionKeyCheck.js';
import type { Kafka, Producer } from '../log/client/client.js';
import {
  createLogAppender,
  createLogConnection,
  type LogAppender,
  type LogProducerSettings,
} from '../log/producer/producer.js';
import { openHealthPorts, openMetricsPort } from '../runtime/healthServer.js';
import { createReleasers, type Releasers } from '../runtime/lifecycle.js';
import { createMetrics, type Metrics } from '../runtime/metrics.js';
import { createReadiness, reportReadiness, type Readiness, type RoleChecks } from '../runtime/readiness.js';
import { createLossReport, type RunningRole } from '../runtime/role.js';
import type { Config } from '../settings/config.js';
import { openConnections, type Connections } from './connections.js';

/** The resources that a process provides to a role. The roles of a process share its connections and its metrics. */
export interface RoleContext {
  readonly config: Config;
  readonly clock: Clock;
  /** The logger of the role, whose log lines name the role. */
  readonly logger: Logger;
  /** The resources that the role has opened. The process closes the role's resources before the connections. */
  readonly releasers: Releasers;
  readonly metrics: Metrics;
  /** The readiness of the whole process. */
  readonly readiness: Readiness;
  readonly connections: Connections;
  /** Opens an appender with its own limits on the producer of the process. */
  readonly openLog: (limits: LogLimits) => LogAppender;
  /** The Kafka producer for dead letters, which repeats failed requests. */
  readonly deadLetterProducer: Producer;
  /** Ends the process, because the role has failed permanently. */
  readonly reportLoss: (error: Error) => void;
}

export type LogLimits = Pick<LogProducerSettings, 'deliveryTimeoutMs' | 'maximumWaitingBytes'>;

/** A role that has started in a process. */
export interface StartedRole {
  /** The readiness checks of the role. */
  readonly checks: RoleChecks;
  /** The server of a role that serves HTTP. */
  readonly server?: RoleServer;
}

export interface RoleServer {
  readonly address: string;
  /** Announces the stop to clients while the server continues to serve. The promise resolves after the drain delay. */
  readonly drain: () => Promise<void>;
}

export interface RoleDefinition {
  readonly name: string;
  /** Whether the role has its own HTTP server, which also answers `/healthz` and `/readyz`. */
  readonly servesHttp: boolean;
  readonly start: (context: RoleContext) => Promise<StartedRole>;
}

/**
 * The roles of one process in stages. The roles of a stage start and stop together. Stages start in the given order and
 * stop in the reverse order.
 */
export type Stages = readonly (readonly RoleDefinition[])[];

export interface ProcessOptions {
  /** The name of the process in its log lines, and for Kafka and MongoDB. */
  readonly name: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly loggerOf: (role: string) => Logger;
}

/**
 * Starts roles in this process. `startProcess` opens the ports and the connections, starts the roles, and runs the
 * readiness checks.
 * @throws if a role cannot start; all opened resources are closed before
 */
export async function startProcess(
  stages: Stages,
  { name, config, clock, loggerOf }: ProcessOptions,
): Promise<RunningRole> {
  const logger = loggerOf(name);
  const releasers = createReleasers(logger);
  try {
    const metrics = createMetrics(config.delivery);
    const readiness = createReadiness();
    reportReadiness({ readiness, metrics });
    const servesHttp = stages.flat().some((role) => role.servesHttp);
    const ports = await openPorts(servesHttp, config.http, { readiness, metrics, releasers });
    const connections = await openConnections(config, { role: name, logger, releasers });
    const { lost, report: reportLoss } = createLossReport(logger);
    const context = {
      config,
      clock,
      metrics,
      readiness,
      connections,
      reportLoss,
      ...(await openProducers(connections.kafka, releasers)),
    };
    const { models } = connections;
    releasers.add(
      'check of encryption keys',
      await checkEncryptionKeys({ models, clock, ...config }, reportLoss),
    );
    const started = await startStages(stages, context, { loggerOf, releasers });
    readiness.begin(checksOf(started));
    releasers.add('readiness', readiness.stop);
    // The first run of the checks reads the end offsets that the read models must reach. Kafka is available, because
    // the process has just connected to it.
    await readiness.read();
    const server = started.find((role) => role.server !== undefined)?.server;
    const address = server?.address ?? ports.address;
    return {
      address,
      metricsAddress: ports.metricsAddress ?? address,
      lost,
      ...(server && {
        drain: () => {
          readiness.stop();
          return server.drain();
        },
      }),
      stop: releasers.releaseAll,
    };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

/** @returns a function that starts a role in its own process */
export function inOwnProcess(
  role: RoleDefinition,
): (config: Config, logger: Logger, clock: Clock) => Promise<RunningRole> {
  return (config, logger, clock) =>
    startProcess([[role]], { name: role.name, config, clock, loggerOf: () => logger });
}

/**
 * Opens the ports for health and metrics. A role that serves HTTP answers on its own port, unless metrics have a
 * separate port.
 */
async function openPorts(
  servesHttp: boolean,
  http: Config['http'],
  monitoring: { metrics: Metrics; readiness: Readiness; releasers: Releasers },
): Promise<{ readonly address: string; readonly metricsAddress: string | null }> {
  return servesHttp
    ? { address: '', metricsAddress: await openMetricsPort(http, monitoring) }
    : openHealthPorts(http, monitoring);
}

interface Producers {
  /** The connection of all appenders to the log. */
  readonly producer: Producer;
  readonly deadLetterProducer: Producer;
}

async function openProducers(kafka: Kafka, releasers: Releasers): Promise<Producers> {
  const producer = createLogConnection(kafka);
  const deadLetterProducer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([producer.connect(), deadLetterProducer.connect()]);
  releasers.add('producers', async () => {
    await Promise.all([producer.disconnect(), deadLetterProducer.disconnect()]);
  });
  return { producer, deadLetterProducer };
}

type SharedContext = Omit<RoleContext, 'logger' | 'releasers' | 'openLog'> & Pick<Producers, 'producer'>;

/**
 * Starts the stages one after the other. Each stage is registered before its start, so that a failed stage is stopped
 * too.
 */
async function startStages(
  stages: Stages,
  { producer, ...shared }: SharedContext,
  { loggerOf, releasers }: { loggerOf: ProcessOptions['loggerOf']; releasers: Releasers },
): Promise<readonly StartedRole[]> {
  const { kafka } = shared.connections;
  const { prefix, partitions } = shared.config.topics;
  const started: StartedRole[] = [];
  for (const stage of stages) {
    const contexts = stage.map(({ name, start }) => {
      const logger = loggerOf(name);
      const own = createReleasers(logger);
      const openLog: RoleContext['openLog'] = (limits) => {
        const { idle, ...appender } = createLogAppender(
          { kafka, producer },
          { prefix, partitions, ...limits },
        );
        own.add('appends in flight', idle);
        return appender;
      };
      return { start, context: { ...shared, logger, releasers: own, openLog } };
    });
    releasers.add(stage.map(({ name }) => name).join(', '), async () => {
      await Promise.all(contexts.map(({ context }) => context.releasers.releaseAll()));
    });
    // All starts end before a failure is reported, so that no role opens a resource after the release.
    const results = await Promise.allSettled(contexts.map(({ start, context }) => start(context)));
    for (const result of results) {
      if (result.status === 'rejected') {
        throw result.reason;
      }
      started.push(result.value);
    }
  }
  return started;
}

/**
 * The readiness checks of the process. If a role serves HTTP, only its checks are required, because clients must reach
 * it while another role waits for a server. The checks of the other roles are informative.
 */
function checksOf(started: readonly StartedRole[]): RoleChecks {
  const server = started.find((role) => role.server !== undefined);
  const others = started.filter((role) => role !== server);
  const othersRequired = others.flatMap(({ checks }) => checks.required);
  return server === undefined
    ? { required: othersRequired }
    : {
        required: server.checks.required,
        informative: [...(server.checks.informative ?? []), ...othersRequired],
      };
}
