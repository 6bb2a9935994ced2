import { createAccountKeys } from '../shared/encryption/accountKeys.js';
import type { Clock } from '../shared/core/clock.js';
import type { Config } from '../shared/settings/config.js';
import { openConnections, type Connections } from '../shared/connections/connections.js';
import { createDeletedAccountSweep } from '../shared/accounts/deletedAccountSweep.js';
import { createDeletedAccounts, type DeletedAccounts } from '../shared/accounts/deletedAccounts.js';
import { openHealthPorts } from '../shared/runtime/healthServer.js';
import { createDeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { reportMembers } from '../shared/log/lag/membersReport.js';
import type { PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import { createReleasers, type Releasers } from '../shared/runtime/lifecycle.js';
import type { Logger } from '../shared/core/logger.js';
import { createMetrics } from '../shared/runtime/metrics.js';
import type { ModelDocument } from '../shared/store/models/documents.js';
import { createErasure } from '../shared/store/queries/erasure.js';
import { modelDefinitions } from '../shared/store/models/readModels.js';
import { checkEncryptionKeys } from '../shared/encryption/encryptionKeyCheck.js';
import { createReadiness } from '../shared/runtime/readiness.js';
import { reportReadiness } from '../shared/runtime/readinessReport.js';
import { createLossReport, type RunningRole } from '../shared/runtime/role.js';
import { deliveryGroups } from '../shared/log/topics/groups.js';
import { accountKeysProjection } from './models/accountKeys.js';
import { accountsProjection } from './models/accounts.js';
import { createGenerationWatcher } from './generations/generationWatcher.js';
import { attemptsProjection } from './models/attempts.js';
import { auditProjection } from './models/audit.js';
import { createEraseAccount } from './erasure/eraseAccount.js';
import { eventsProjection } from './models/events.js';
import { startExpiry } from './erasure/startExpiry.js';
import { createModelProjection, type FetchSettings, type FoldSettings } from './modelProjection.js';
import { startOutcomeCatchUp } from './generations/outcomeCatchUp.js';
import type { Projection } from './models/projection.js';
import { replaysProjection } from './models/replays.js';
import { statsProjection } from './models/stats.js';
import { webhooksProjection } from './models/webhooks.js';

/**
 * Whoever has written waits for these models: fetches are answered as soon as a record is there. Where none comes each
 * fetch costs the same, and a group heartbeats between two of them: hence seconds, and far less than the session's time.
 */
const atOnce: FetchSettings = { maximumWaitMs: 1500 };
/**
 * The same, for what many write at a time: to fold each record by itself takes nearly half of all processor time at a hundred
 * events a second. Whoever reads what was just written may wait for it so much longer.
 */
const soon: FetchSettings = { ...atOnce, restMs: 50 };
/** Nobody waits for these: what comes within a second is folded together, which costs a fraction. */
const gathered: FetchSettings = { maximumWaitMs: 1000, minimumBytes: 512 * 1024 };

/**
 * How long a deleted account keeps its documents: in that time the sweep finds in them which deliveries are to be canceled. What
 * it does not get to ends when it comes due.
 */
const openDeliveriesEndMs = 5000;

/**
 * Once deliveries do not wait for it: models are behind for longer where processors are full, and more is folded together, which
 * takes a sixth less of them.
 */
const niceness = 10;

/** Starts the role that folds the log into the read models; any number of processes share the work. */
export async function startProjections(config: Config, logger: Logger, clock: Clock): Promise<RunningRole> {
  const releasers = createReleasers(logger);
  try {
    const { prefix } = config.topics;
    const metrics = createMetrics();
    const readiness = createReadiness();
    reportReadiness({ readiness, metrics });
    const addresses = await openHealthPorts(config.http, { readiness, metrics, releasers });
    const connections = await openConnections(config, { role: 'projections', logger, releasers });
    const producer = connections.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    releasers.add('dead letter producer', () => producer.disconnect());
    const { lost, report } = createLossReport(logger);
    const { models } = connections;
    const stopLooking = await checkEncryptionKeys({ models, clock, ...config }, report);
    releasers.add('look for missing keys', stopLooking);
    const deleted = createDeletedAccounts(models.accounts, { clock, forMs: openDeliveriesEndMs });
    const catchUp = startCatchUp(connections, releasers, logger);
    const folded = <Model extends ModelDocument>(projection: Projection<Model>, how: FoldSettings) =>
      createModelProjection(projection, {
        ...how,
        connections,
        sifting: { deleted, keys: createAccountKeys(connections, config.encryptionKeys) },
        deadLettersOf: (group) => createDeadLetters({ producer, prefix, group, clock, logger, metrics }),
        metrics,
        logger,
        prefix,
        onLost: report,
      });
    const watch = createGenerationWatcher({
      aliases: connections.watch.aliases,
      logger,
      models: [
        folded(accountKeysProjection, { fetch: atOnce }),
        folded(accountsProjection, { fetch: atOnce }),
        folded(webhooksProjection, { fetch: atOnce }),
        folded(eventsProjection, { fetch: soon, prepare: catchUp.outcomesFirst }),
        folded(replaysProjection, { fetch: atOnce }),
        folded(attemptsProjection, { fetch: gathered, prepare: catchUp.afterOutcomes }),
        folded(auditProjection, { fetch: gathered }),
        folded(statsProjection, { fetch: gathered, prepare: catchUp.afterOutcomes }),
      ],
    });
    releasers.add('projections', watch.stop);
    await watch.start();
    releasers.add('erasure', startErasing(connections, deleted, logger));
    startExpiry(config, { connections, releasers, clock, logger });
    const { kafkaCheck, mongoCheck, writerChecks } = connections;
    readiness.begin({ required: [kafkaCheck, mongoCheck, ...writerChecks] });
    releasers.add('readiness', readiness.stop);
    reportMembers({ definitions: deliveryGroups(prefix), groups: connections.groups, metrics });
    return {
      ...{ ...addresses, lost, stop: releasers.releaseAll },
      niceness: () => (catchUp.isDone() ? niceness : 0),
    };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

/** After a crash the outcomes of before come first: until the model of events has them, nothing is folded that would hold them up. */
function startCatchUp({ models, progress, offsets }: Connections, releasers: Releasers, logger: Logger) {
  const { isDone, othersGoOn, stop } = startOutcomeCatchUp({
    ...{ model: models.events, progress: progress.events, offsets, logger },
    version: modelDefinitions.events.version,
  });
  releasers.add('catching up', stop);
  const afterOutcomes: PreparePartition = () => othersGoOn.then(() => null);
  const outcomesFirst: PreparePartition = (partition, signal) =>
    partition.topic === 'deliveries' ? Promise.resolve(null) : afterOutcomes(partition, signal);
  return { isDone, afterOutcomes, outcomesFirst };
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
