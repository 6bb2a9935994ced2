import type { Clock } from '../shared/core/clock.js';
import { createCommandRunner } from '../shared/commands/commandRunner.js';
import type { Config } from '../shared/settings/config.js';
import { openConnections, type Connections } from '../shared/connections/connections.js';
import { createIdentifiers } from '../shared/domain/core/identifiers.js';
import { openHealthPorts } from '../shared/runtime/healthServer.js';
import { createDeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createGroupConsumer } from '../shared/log/group/groupConsumer.js';
import { createLogProducer } from '../shared/log/producer/producer.js';
import { createReleasers, type Releasers } from '../shared/runtime/lifecycle.js';
import type { Logger } from '../shared/core/logger.js';
import { createMetrics, type Metrics } from '../shared/runtime/metrics.js';
import { areReadable } from '../shared/connections/modelChecks.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { checkEncryptionKeys } from '../shared/encryption/encryptionKeyCheck.js';
import { createRandom } from '../shared/core/random.js';
import { createReadiness } from '../shared/runtime/readiness.js';
import { reportReadiness } from '../shared/runtime/readinessReport.js';
import { createLossReport, type RunningRole } from '../shared/runtime/role.js';
import { deliveryGroup } from '../shared/log/topics/groups.js';
import { startRunningClock } from './latency/runningClock.js';
import { createHttpAttempt, type AttemptSettings, type HttpAttempt } from './http/httpAttempt.js';
import { createReplayConsumer } from './replays.js';
import { createMaintenance } from './maintenance/maintenance.js';
import { createRetentionRecovery } from './maintenance/retentionRecovery.js';
import { startWhenReadable } from './sources/startWhenReady.js';
import { rejectExpiredOffsets } from './sources/expiredOffsets.js';
import { createGroups, type DeliveryGroup } from './groups.js';
import { createDeliveryEngine, maximumInFlight } from './deliveryEngine.js';

const log = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 128 * 1024 * 1024 };
/** What may still be under way when a stop was asked for: the rest of the twenty seconds is for closing. */
const stopWaitMs = 16_000;

/** Starts the role that delivers events to webhooks; any number of processes share the work. */
export async function startDelivery(config: Config, logger: Logger, clock: Clock): Promise<RunningRole> {
  const releasers = createReleasers(logger);
  try {
    const metrics = createMetrics(config.delivery);
    const readiness = createReadiness();
    reportReadiness({ readiness, metrics });
    const addresses = await openHealthPorts(config.http, { readiness, metrics, releasers });
    const connections = await openConnections(config, { role: 'delivery', logger, releasers });
    await rejectExpiredOffsets(connections, deliveryGroup(config.topics.prefix).groupId);
    const groups = await createDeliveries({ config, logger, clock, metrics, connections, releasers });
    const { lost, report } = createLossReport(logger);
    const { models } = connections;
    const stopLooking = await checkEncryptionKeys({ models, clock, ...config }, report);
    releasers.add('look for missing keys', stopLooking);
    // Registered first: one that fails to start must not leave the others running.
    releasers.add('groups', async () => {
      await Promise.all(groups.map((group) => group.stop(stopWaitMs)));
    });
    const deferredStart = await startWhenReadable({
      isReadable: () => areReadable(models),
      start: async () => {
        await Promise.all(groups.map((group) => group.start(report)));
      },
      onLost: report,
      logger,
    });
    releasers.add('beginning', deferredStart.stop);
    const { kafkaCheck, mongoCheck, readerChecks } = connections;
    readiness.begin({ required: [kafkaCheck, mongoCheck, ...readerChecks, deferredStart.check] });
    releasers.add('readiness', readiness.stop);
    return { ...addresses, lost, niceness: () => 0, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

interface DeliveryContext {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly connections: Connections;
  readonly releasers: Releasers;
}

async function createDeliveries(context: DeliveryContext): Promise<readonly DeliveryGroup[]> {
  const { config, logger, clock, metrics, connections, releasers } = context;
  const { kafka, mongo, offsets, progress } = connections;
  const { prefix, partitions } = config.topics;
  const producer = createLogProducer(kafka, { prefix, partitions, ...log });
  const deadLetterProducer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([producer.connect(), deadLetterProducer.connect()]);
  releasers.add('log', producer.close);
  releasers.add('dead letter producer', () => deadLetterProducer.disconnect());
  const { attempt, closing } = openHttp(config, releasers);
  const random = createRandom();
  const identifiers = createIdentifiers(random);
  const runningClock = startRunningClock();
  releasers.add('running clock', runningClock.stop);
  const engine = createDeliveryEngine({
    ...{ config, connections, attempt, closing, identifiers, random, clock, metrics, logger },
    processClocks: { now: runningClock.now, idleMs: () => performance.eventLoopUtilization().idle },
    log: producer,
    commandRunner: createCommandRunner({
      ...{ log: producer, offsets, clock },
      leases: createLeases(mongo.database),
      progress: { webhooks: progress.webhooks },
    }),
  });
  releasers.add('watch over failing webhooks', engine.autoDisable.stop);
  const { attemptTimeoutMs, webhookConcurrency } = config.delivery;
  const maintenance = createMaintenance({
    ...{ connections, partitions, attemptTimeoutMs, identifiers, clock, logger },
    log: producer,
  });
  const { resumeDelivery } = engine;
  const retentionRecovery = createRetentionRecovery({
    connections,
    partitions,
    resumeDelivery,
    prefix,
    logger,
  });
  const deadLettersOf = (group: string) =>
    createDeadLetters({ producer: deadLetterProducer, prefix, group, clock, logger, metrics });
  return createGroups({
    ...{ prefix, webhookConcurrency, connections, engine, maintenance, retentionRecovery },
    ...{ deadLettersOf, clock, metrics, logger },
    memberOf: (group) => createGroupConsumer(kafka, logger, { ...group, prefix }),
    replaysOf: (deadLetters) =>
      createReplayConsumer({ ...context, ...engine, identifiers, log: producer, deadLetters }),
  });
}

/** Whatever is still in flight when the connections are closed is cut off by us: it must not be taken for an outcome. */
function openHttp(
  config: Config,
  releasers: Releasers,
): Pick<HttpAttempt, 'attempt'> & { readonly closing: AbortSignal } {
  const http = createHttpAttempt(attemptSettings(config));
  const closing = new AbortController();
  releasers.add('connections to webhooks', () => {
    closing.abort();
    http.close();
  });
  return { attempt: http.attempt, closing: closing.signal };
}

function attemptSettings(config: Config): AttemptSettings {
  const { delivery, webhooks } = config;
  return {
    timeoutMs: delivery.attemptTimeoutMs,
    allowHttp: webhooks.allowHttp,
    allowPrivateAddresses: webhooks.allowPrivateAddresses,
    userAgent: 'Postrider/1.0',
    // As many as are ever in flight: none waits for a connection while its time runs.
    maxConnections: maximumInFlight(config),
  };
}
