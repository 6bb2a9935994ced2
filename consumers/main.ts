import { createCommandRunner } from '../shared/commands/commandRunner.js';
import { openConnections, type Connections } from '../shared/connections/connections.js';
import { areReadable } from '../shared/connections/modelChecks.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import { createRandom } from '../shared/core/random.js';
import { createIdentifiers } from '../shared/domain/core/identifiers.js';
import { checkEncryptionKeys } from '../shared/encryption/encryptionKeyCheck.js';
import { createDeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createGroupConsumer } from '../shared/log/group/groupConsumer.js';
import { createLogProducer } from '../shared/log/producer/producer.js';
import { deliveryGroup } from '../shared/log/topics/groups.js';
import { openHealthPorts } from '../shared/runtime/healthServer.js';
import { createReleasers, type Releasers } from '../shared/runtime/lifecycle.js';
import { createMetrics, type Metrics } from '../shared/runtime/metrics.js';
import { createReadiness } from '../shared/runtime/readiness.js';
import { reportReadiness } from '../shared/runtime/readinessReport.js';
import { createLossReport, type RunningRole } from '../shared/runtime/role.js';
import type { Config } from '../shared/settings/config.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { createDeliveryEngine, maximumInFlight } from './deliveryEngine.js';
import { createGroups, type DeliveryGroup } from './groups.js';
import { createHttpAttempt, type HttpAttempt } from './http/httpAttempt.js';
import { startRunningClock } from './latency/processClocks.js';
import { createMaintenance } from './maintenance/maintenance.js';
import { createRetentionRecovery } from './maintenance/retentionRecovery.js';
import { createReplayConsumer } from './replayConsumer.js';
import { rejectExpiredOffsets } from './sources/expiredOffsets.js';
import { startWhenReadable } from './sources/startWhenReady.js';

const producerLimits = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 128 * 1024 * 1024 };
/** How long a stop waits for records in flight. The rest of the twenty seconds is for closing connections. */
const stopTimeoutMs = 16_000;

/**
 * Starts the role that delivers events to webhooks. Any number of processes share its partitions.
 *
 * ```
 *   consumer group   handler of its records        then
 *   events           sources/firstAttempts.ts ─┐
 *   requests         sources/redeliveries.ts  ─┼─► engine/deliver.ts ──► http/ ──► webhook
 *   retries          sources/retries.ts       ─┘        └─► outcome and retry records in the log
 *   replays          sources/replays.ts       ────► requests in the log
 * ```
 * While a process owns partitions of the retry topics, `maintenance/` cancels deliveries of deleted and disabled webhooks, and deletes
 * the data of deleted accounts.
 */
export async function startDelivery(config: Config, logger: Logger, clock: Clock): Promise<RunningRole> {
  const releasers = createReleasers(logger);
  try {
    const metrics = createMetrics(config.delivery);
    const readiness = createReadiness();
    reportReadiness({ readiness, metrics });
    const addresses = await openHealthPorts(config.http, { readiness, metrics, releasers });
    const connections = await openConnections(config, { role: 'delivery', logger, releasers });
    await rejectExpiredOffsets(connections, deliveryGroup(config.topics.prefix).groupId);
    const groups = await createParts({ config, logger, clock, metrics, connections, releasers });
    const { lost, report } = createLossReport(logger);
    const { models } = connections;
    releasers.add(
      'check of encryption keys',
      await checkEncryptionKeys({ models, clock, ...config }, report),
    );
    // Added before the start: if one group fails to start, the others are stopped.
    releasers.add('groups', async () => {
      await Promise.all(groups.map((group) => group.stop(stopTimeoutMs)));
    });
    const deferredStart = await startWhenReadable({
      isReadable: () => areReadable(models),
      start: async () => {
        await Promise.all(groups.map((group) => group.start(report)));
      },
      onFatal: report,
      logger,
    });
    releasers.add('deferred start of the groups', deferredStart.stop);
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

/** Wires the parts of the role: the log, the HTTP client, the engine, the maintenance, and the groups that read from the log. */
async function createParts(context: DeliveryContext): Promise<readonly DeliveryGroup[]> {
  const { config, logger, clock, metrics, connections } = context;
  const { kafka, mongo, offsets, progress } = connections;
  const { prefix, partitions } = config.topics;
  const { attemptTimeoutMs, webhookConcurrency } = config.delivery;
  const { log, deadLettersOf } = await openLog(context);
  const random = createRandom();
  const identifiers = createIdentifiers(random);
  const engine = createDeliveryEngine({
    ...{ config, connections, log, identifiers, random, clock, metrics, logger },
    ...openHttp(context),
    processClocks: openProcessClocks(context),
    commandRunner: createCommandRunner({
      ...{ log, offsets, clock },
      leases: createLeases(mongo.database),
      progress: { webhooks: progress.webhooks },
    }),
  });
  context.releasers.add('disabling of failing webhooks', engine.autoDisable.stop);
  return createGroups({
    ...{ prefix, webhookConcurrency, connections, engine, deadLettersOf, clock, metrics, logger },
    maintenance: createMaintenance({
      ...{ connections, log, partitions, attemptTimeoutMs, identifiers, clock, logger },
    }),
    retentionRecovery: createRetentionRecovery({
      ...{ connections, partitions, prefix, logger },
      resumeDelivery: engine.resumeDelivery,
    }),
    createMember: (group) => createGroupConsumer(kafka, logger, { ...group, prefix }),
    createHandleReplay: (deadLetters) =>
      createReplayConsumer({ ...context, ...engine, identifiers, log, deadLetters }),
  });
}

async function openLog({ config, connections, clock, metrics, logger, releasers }: DeliveryContext) {
  const { kafka } = connections;
  const { prefix, partitions } = config.topics;
  const log = createLogProducer(kafka, { prefix, partitions, ...producerLimits });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([log.connect(), producer.connect()]);
  releasers.add('log', log.close);
  releasers.add('dead letter producer', () => producer.disconnect());
  const deadLettersOf = (group: string) =>
    createDeadLetters({ producer, prefix, group, clock, logger, metrics });
  return { log, deadLettersOf };
}

function openProcessClocks({ releasers }: DeliveryContext) {
  const { now, stop } = startRunningClock();
  releasers.add('running clock', stop);
  return { now, idleMs: () => performance.eventLoopUtilization().idle };
}

/** The process aborts requests that are still in flight when it closes the connections. It must not record them as failures. */
function openHttp({
  config,
  releasers,
}: DeliveryContext): Pick<HttpAttempt, 'attempt'> & { readonly closing: AbortSignal } {
  const { delivery, webhooks } = config;
  const http = createHttpAttempt({
    timeoutMs: delivery.attemptTimeoutMs,
    allowHttp: webhooks.allowHttp,
    allowPrivateAddresses: webhooks.allowPrivateAddresses,
    userAgent: 'Postrider/1.0',
    // One connection for each attempt in flight: no attempt waits for a connection while its time limit runs.
    maxConnections: maximumInFlight(config),
  });
  const closing = new AbortController();
  releasers.add('connections to webhooks', () => {
    closing.abort();
    http.close();
  });
  return { attempt: http.attempt, closing: closing.signal };
}
