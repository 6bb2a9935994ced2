import type { Connections } from '../shared/connections/connections.js';
import { messageOf } from '../shared/core/errors.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createGroupConsumer, type GroupConsumerSettings } from '../shared/log/group/groupConsumer.js';
import { createAssignmentBarrier, type PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import { reportGroup } from '../shared/log/lag/groupReport.js';
import type { TopicPartition } from '../shared/log/client/topicPartition.js';
import type { Logger } from '../shared/core/logger.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import type { ModelDocument } from '../shared/store/models/documents.js';
import { groupOf, type AliasDocument } from '../shared/store/models/generations.js';
import { createGenerationConversion } from '../shared/store/generations/generationConversion.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { endOffsetsOf } from '../shared/store/generations/endOffsets.js';
import { openGeneration } from '../shared/store/generations/modelGeneration.js';
import { modelDefinitions, type ModelName } from '../shared/store/models/readModels.js';
import { fullTopicName, type TopicName } from '../shared/log/topics/names.js';
import type { FoldedModel } from './generations/generationWatcher.js';
import { createConversion } from './generations/conversion.js';
import { startIndexBuild } from './runtime/indexBuild.js';
import { createModelDelay } from './runtime/modelDelay.js';
import { createGenerationRunners, type GenerationRunner } from './generations/generationRunners.js';
import type { Projection } from './models/projection.js';
import { createProjectionRunner } from './runtime/runner.js';
import { createUnfoldedRecords } from './runtime/unfoldedRecords.js';
import { createFilterAndDecrypt, type FilterAndDecryptDependencies } from './runtime/filterAndDecrypt.js';
import { createSwitchComparison } from './generations/switchComparison.js';
import { createSwitchover, passes, switchoverTimes } from './generations/switchover.js';

export type FetchSettings = Pick<GroupConsumerSettings, 'maximumWaitMs' | 'minimumBytes' | 'restMs'>;

export interface FoldSettings {
  readonly fetch: FetchSettings;
  /** What has to be before anything of a partition is folded; nothing by default. */
  readonly prepare?: PreparePartition;
}

export interface ModelProjectionDependencies extends FoldSettings {
  readonly connections: Connections;
  readonly sifting: FilterAndDecryptDependencies;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Stands before the names of topics and groups. */
  readonly prefix: string;
  /** Called when a consumer has ended for good. */
  readonly onLost: (error: Error) => void;
}

/** Folds a model in every generation that its alias lists, and takes its rebuilds from step to step. */
export function createModelProjection<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: ModelProjectionDependencies,
): FoldedModel {
  const { connections, logger } = dependencies;
  const { aliases, generations, endedGenerations } = connections;
  const { name: model } = projection;
  const { version, topics } = modelDefinitions[model];
  startCounters(dependencies, model, topics);

  const beginAndFold = async () => {
    await runners.follow(await generations.ensureLive(model));
  };

  const runners = createGenerationRunners({
    model,
    version,
    logger,
    startRunner: async (generation, listed) => {
      const onEmptied = () => {
        // One that is being built is given up by the switchover, and a previous one is of no use any more.
        if (listed().live === generation) {
          void beginAndFold().catch((error: unknown) => {
            logger.warn({ model, error: messageOf(error) }, 'the read model cannot be begun yet');
          });
        }
      };
      const runner = await startRunner(projection, dependencies, { generation, listed, onEmptied });
      const ensureIndexes = () => generations.ensureIndexes(model, generation);
      const endBuild = startIndexBuild({ ensureIndexes, logger });
      return {
        stop: async () => {
          endBuild();
          await runner.stop();
        },
      };
    },
  });

  const { mongo, offsets, losses } = connections;
  const switchover = createSwitchover({
    model,
    version,
    aliases,
    store: generations,
    convert: createConversion({
      projection,
      pages: createGenerationConversion(mongo.database),
      leases: createLeases(mongo.database),
    }),
    compare: createSwitchComparison({
      model,
      store: generations,
      losses,
      reachesEnd: async (generation) =>
        passes(generations, generation, await endOffsetsOf(offsets, model), switchoverTimes.catchUp),
    }),
    dropEnded: () => endedGenerations.drop(model),
    logger,
    times: switchoverTimes,
  });

  return {
    model,
    begin: beginAndFold,
    follow: async (alias) => {
      await runners.follow(alias);
      await switchover.advance(alias);
    },
    stop: runners.stop,
  };
}

/** A series that begins with its first record shows no increase for it. */
function startCounters(
  { metrics, prefix }: Pick<ModelProjectionDependencies, 'metrics' | 'prefix'>,
  model: ModelName,
  topics: readonly TopicName[],
): void {
  metrics.unfoldedRecords.inc({ model }, 0);
  for (const topic of topics) {
    metrics.deadLetters.inc({ topic: fullTopicName(prefix, topic) }, 0);
  }
}

interface Started {
  readonly generation: string;
  readonly listed: () => AliasDocument;
  readonly onEmptied: () => void;
}

async function startRunner<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: ModelProjectionDependencies,
  { generation, listed, onEmptied }: Started,
): Promise<GenerationRunner> {
  const { connections, fetch, prepare, metrics, logger, prefix, onLost } = dependencies;
  const { kafka, mongo, offsets, watch } = connections;
  const { topics } = modelDefinitions[projection.name];
  const groupId = groupOf(prefix, generation);
  const building = () => {
    const alias = listed();
    return alias.building?.name === generation ? alias.building : null;
  };
  const member = createGroupConsumer(kafka, logger, { groupId, topics, prefix, ...fetch });
  const runner = createProjectionRunner({
    projection,
    logger,
    filterAndDecrypt: createFilterAndDecrypt(projection, dependencies.sifting),
    consumer: prepare === undefined ? member : createAssignmentBarrier(member, prepare),
    generation: openGeneration(mongo.database, generation, projection),
    watch,
    offsets,
    deadLetters: createUnfoldedRecords({
      ...{ prefix, metrics, logger, deadLetters: dependencies.deadLettersOf(groupId) },
      isBuilding: () => building() !== null,
    }),
    endOf: ({ topic, partition }: TopicPartition) => {
      const until = building()?.until;
      return until === undefined ? Number.POSITIVE_INFINITY : (until[topic]?.[String(partition)] ?? 0);
    },
    onEmptied,
    onBatch: (seconds) => {
      metrics.projectionBatchSeconds.observe({ model: projection.name }, seconds);
    },
  });
  try {
    await runner.start(onLost);
  } catch (error) {
    await runner.stop().catch(() => undefined);
    throw error;
  }
  const delay = createModelDelay({ model: projection.name, generation, listed, metrics });
  const endReport = reportGroup({ group: groupId, progress: runner, offsets, metrics, onDelay: delay.show });
  return {
    stop: async () => {
      endReport();
      delay.remove();
      await runner.stop();
    },
  };
}
