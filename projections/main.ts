import { createDeletedAccounts } from '../shared/accounts/deletedAccounts.js';
import { createSharedTurns } from '../shared/concurrency/sharedTurns.js';
import type { Connections } from '../shared/connections/connections.js';
import { inOwnProcess, type RoleDefinition } from '../shared/connections/roleProcess.js';
import type { Logger } from '../shared/core/logger.js';
import { createAccountKeys } from '../shared/encryption/accountKeys.js';
import { createDeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import { reportMembers } from '../shared/log/lag/groupReport.js';
import { deliveryGroups } from '../shared/log/topics/groups.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import type { ModelDocument } from '../shared/store/models/documents.js';
import { modelDefinitions } from '../shared/store/models/modelDefinitions.js';
import { createErasedLives } from '../shared/tenants/erasedLives.js';
import { startErasure } from './erasure/startErasure.js';
import type { FetchSettings, FoldSettings } from './generations/generationRunner.js';
import { createGenerationWatcher } from './generations/generationWatcher.js';
import { createModelProjection } from './modelProjection.js';
import { projections } from './models/all.js';
import type { Projection } from './models/projection.js';
import { startOutcomeCatchUp } from './runtime/outcomeCatchUp.js';

/**
 * The fetch settings of models that a writer waits for: the broker answers as soon as a record exists. An idle fetch
 * has a fixed cost, and the group heartbeats between fetches. So the maximum wait is in seconds, and far less than the
 * session timeout.
 */
const immediateFetch: FetchSettings = { maximumWaitMs: 1500 };
/**
 * The fetch settings of models with many writers. At 100 events a second, folding each record alone takes nearly half
 * of all CPU time. A read after a write may wait 50 ms longer.
 */
const shortBatchFetch: FetchSettings = { ...immediateFetch, restMs: 50 };
/** The fetch settings of models that no writer waits for. The records of a second are folded together at low cost. */
const largeBatchFetch: FetchSettings = { maximumWaitMs: 1000, minimumBytes: 512 * 1024 };
/** The health of webhooks must be less than a second old. */
const mediumBatchFetch: FetchSettings = { ...largeBatchFetch, maximumWaitMs: 500 };

/**
 * How long a deleted account keeps its documents, so that the sweep of open deliveries can read them and cancel the
 * deliveries. A delivery that the sweep misses ends when it is due.
 */
const deletionDelayMs = 5000;

/** The role that folds the log into the read models. Any number of projections processes share the partitions. */
export const projectionsRole: RoleDefinition = {
  name: 'projections',
  servesHttp: false,
  start: async (context) => {
    const { config, connections, releasers, clock, metrics, logger } = context;
    const { prefix } = config.topics;
    const { models } = connections;
    const deleted = createDeletedAccounts(models.accounts, { clock, forMs: deletionDelayMs });
    const erased = createErasedLives(models.tenants, () => performance.now());
    const catchUp = startCatchUp(connections, releasers, logger);
    const turns = createSharedTurns();
    const foldModel = <Model extends ModelDocument>(projection: Projection<Model>, settings: FoldSettings) =>
      createModelProjection(projection, {
        ...settings,
        connections,
        turns,
        filtering: { deleted, erased, keys: createAccountKeys(connections, config.encryptionKeys) },
        deadLettersOf: (group) =>
          createDeadLetters({
            producer: context.deadLetterProducer,
            prefix,
            group,
            clock,
            logger,
            metrics,
          }),
        metrics,
        logger,
        prefix,
        onLost: context.reportLoss,
      });
    const watcher = createGenerationWatcher({
      aliasCache: connections.aliasCache,
      logger,
      models: [
        foldModel(projections.accountKeys, { fetch: immediateFetch }),
        foldModel(projections.accounts, { fetch: immediateFetch }),
        foldModel(projections.webhooks, { fetch: immediateFetch }),
        foldModel(projections.events, { fetch: shortBatchFetch, prepare: catchUp.outcomesFirst }),
        foldModel(projections.replays, { fetch: immediateFetch }),
        foldModel(projections.eventTypes, { fetch: immediateFetch }),
        foldModel(projections.tenants, { fetch: immediateFetch }),
        foldModel(projections.attempts, { fetch: mediumBatchFetch, prepare: catchUp.afterOutcomes }),
        foldModel(projections.audit, { fetch: largeBatchFetch }),
        foldModel(projections.stats, { fetch: largeBatchFetch, prepare: catchUp.afterOutcomes }),
      ],
    });
    releasers.add('projections', watcher.stop);
    await watcher.start();
    startErasure(context, deleted);
    reportMembers({ definitions: deliveryGroups(prefix), groups: connections.groups, metrics });
    const { kafkaCheck, mongoCheck, writerChecks } = connections;
    return {
      checks: { required: [kafkaCheck, mongoCheck, ...writerChecks] },
    };
  },
};

export const startProjections = inOwnProcess(projectionsRole);

/**
 * Folds the outcomes of the log first. Models that would delay the model `events` wait until `events` has the outcomes.
 */
function startCatchUp({ models, progress, offsets }: Connections, releasers: Releasers, logger: Logger) {
  const { otherTopicsReleased, stop } = startOutcomeCatchUp({
    model: models.events,
    progress: progress.events,
    offsets,
    logger,
    version: modelDefinitions.events.version,
  });
  releasers.add('outcome catch-up', stop);
  const afterOutcomes: PreparePartition = () => otherTopicsReleased.then(() => null);
  const outcomesFirst: PreparePartition = (partition, signal) =>
    partition.topic === 'deliveries' ? Promise.resolve(null) : afterOutcomes(partition, signal);
  return { afterOutcomes, outcomesFirst };
}
