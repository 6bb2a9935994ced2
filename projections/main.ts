import type { Clock } from '../shared/clock.js';
import type { Config } from '../shared/config.js';
import { openConnections, type Connections } from '../shared/connections.js';
import { createDeletedAccountSweep } from '../shared/deletedAccountSweep.js';
import { createDeletedAccounts, type DeletedAccounts } from '../shared/deletedAccounts.js';
import { startHealthServer } from '../shared/healthServer.js';
import { createDeadLetters, type DeadLetters } from '../shared/kafka/deadLetters.js';
import { createGroupConsumer, type GroupConsumerSettings } from '../shared/kafka/groupConsumer.js';
import { reportGroup } from '../shared/kafka/groupReport.js';
import { createReleasers } from '../shared/lifecycle.js';
import type { Logger } from '../shared/logger.js';
import { createMetrics, type Metrics } from '../shared/metrics.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import { createErasure } from '../shared/mongo/erasure.js';
import { createModelWriter } from '../shared/mongo/modelWriter.js';
import { modelDefinitions } from '../shared/mongo/readModels.js';
import { createLossReport, type RunningRole } from '../shared/role.js';
import { accountsProjection } from './accounts.js';
import { attemptsProjection } from './attempts.js';
import { auditProjection } from './audit.js';
import { createEraseAccount } from './erasing/eraseAccount.js';
import { eventsProjection } from './events.js';
import type { Projection } from './projection.js';
import { replaysProjection } from './replays.js';
import { createProjectionRunner, type ProjectionRunner } from './runner.js';
import { createSift } from './sift.js';
import { statsProjection } from './stats.js';
import { webhooksProjection } from './webhooks.js';

type FetchSettings = Pick<GroupConsumerSettings, 'maximumWaitMs' | 'minimumBytes'>;

/**
 * Whoever has written waits for these models: fetches are answered as soon as a record is there. Where none comes each
 * fetch costs the same, and a group heartbeats between two of them: hence seconds, and far less than the session's time.
 */
const atOnce: FetchSettings = { maximumWaitMs: 1500 };
/** Nobody waits for these: what comes within a second is folded together, which costs a fraction. */
const gathered: FetchSettings = { maximumWaitMs: 1000, minimumBytes: 512 * 1024 };

/**
 * How long a deleted account keeps its documents: in that time the sweep finds in them which deliveries are to be canceled. What
 * it does not get to ends when it comes due.
 */
const openDeliveriesEndMs = 5000;

/** Starts the role that folds the log into the read models; any number of processes share the work. */
export async function startProjections(config: Config, logger: Logger, clock: Clock): Promise<RunningRole> {
  const releasers = createReleasers(logger);
  try {
    const metrics = createMetrics();
    const connections = await openConnections(config, { role: 'projections', logger, releasers });
    const producer = connections.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    releasers.add('dead letter producer', () => producer.disconnect());
    const deadLettersOf = (group: string) =>
      createDeadLetters({ producer, prefix: config.topics.prefix, group, clock, logger, metrics });
    const { lost, report } = createLossReport(logger);
    const deleted = createDeletedAccounts(connections.models.accounts, {
      clock,
      forMs: openDeliveriesEndMs,
    });
    const startOne = async <Model extends ModelDocument>(
      projection: Projection<Model>,
      fetch: FetchSettings,
    ) => {
      const runner = createRunner(projection, {
        ...{ config, connections, metrics, logger, deadLettersOf, deleted, fetch },
      });
      await runner.start(report);
      releasers.add(`projection ${projection.name}`, runner.stop);
    };
    await Promise.all([
      startOne(accountsProjection, atOnce),
      startOne(webhooksProjection, atOnce),
      startOne(eventsProjection, atOnce),
      startOne(replaysProjection, atOnce),
      startOne(attemptsProjection, gathered),
      startOne(auditProjection, gathered),
      startOne(statsProjection, gathered),
    ]);
    releasers.add('erasure', startErasing(connections, deleted, logger));
    const checks = [...connections.checks, ...connections.modelChecks];
    const health = await startHealthServer({ ...config.http, metrics, checks });
    releasers.add('health server', health.close);
    return { address: health.address, lost, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

interface RunnerContext {
  readonly config: Config;
  readonly connections: Connections;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly deleted: DeletedAccounts;
  readonly fetch: FetchSettings;
}

/** @returns what stops it */
function startErasing(
  { mongo, models }: Connections,
  deleted: DeletedAccounts,
  logger: Logger,
): () => Promise<void> {
  const erasure = createErasure(mongo.database);
  const sweep = createDeletedAccountSweep({
    ...{ deleted, logger, now: () => performance.now() },
    sweep: createEraseAccount({ models, erasure, logger }),
  });
  sweep.start();
  return sweep.stop;
}

function createRunner<Model extends ModelDocument>(
  projection: Projection<Model>,
  { config, connections, metrics, logger, deadLettersOf, deleted, fetch }: RunnerContext,
): ProjectionRunner {
  const { version, topics } = modelDefinitions[projection.name];
  const { prefix } = config.topics;
  const groupId = `${prefix}${projection.name}.v${version}`;
  const runner = createProjectionRunner({
    projection,
    logger,
    sift: createSift(projection, deleted),
    consumer: createGroupConsumer(connections.kafka, logger, {
      groupId,
      topics,
      prefix,
      ...fetch,
    }),
    writer: createModelWriter(
      { database: connections.mongo.database, offsets: connections.offsets },
      projection.name,
      projection,
    ),
    deadLetters: deadLettersOf(groupId),
    onBatch: (seconds) => {
      metrics.projectionBatchSeconds.observe({ model: projection.name }, seconds);
    },
  });
  reportGroup({ group: groupId, progress: runner, offsets: connections.offsets, metrics });
  return runner;
}
