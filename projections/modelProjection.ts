import type { Connections } from '../shared/connections/connections.js';
import type { SharedTurns } from '../shared/concurrency/sharedTurns.js';
import type { Logger } from '../shared/core/logger.js';
import type { TopicPartition } from '../shared/log/client/topicPartition.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import { createAssignmentBarrier, type PreparePartition } from '../shared/log/group/assignmentBarrier.js';
import { createGroupConsumer } from '../shared/log/group/groupConsumer.js';
import type { GroupConsumerSettings } from '../shared/log/group/kafkajsConsumer.js';
import { reportGroup } from '../shared/log/lag/groupReport.js';
import { fullTopicName, type TopicName } from '../shared/log/topics/names.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { endOffsetsOf } from '../shared/store/generations/endOffsets.js';
import { createGenerationConversion } from '../shared/store/generations/generationConversion.js';
import { openGeneration } from '../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../shared/store/models/documents.js';
import { groupOf, type AliasDocument } from '../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../shared/store/models/modelDefinitions.js';
import { createConversion } from './generations/conversion.js';
import { createGenerationRunners, type GenerationRunner } from './generations/generationRunners.js';
import type { FoldedModel } from './generations/generationWatcher.js';
import { createSwitchComparison } from './generations/switchComparison.js';
import { createSwitchover, waitForPositions, switchoverTimes } from './generations/switchover.js';
import type { Projection } from './models/projection.js';
import { startIndexBuild } from './runtime/indexBuild.js';
import { createModelDelay } from './runtime/modelDelay.js';
import {
  createFilterAndDecrypt,
  createUnfoldedRecords,
  type FilterAndDecryptDependencies,
} from './runtime/readRecords.js';
import { createProjectionRunner } from './runtime/runner.js';

export type FetchSettings = Pick<GroupConsumerSettings, 'maximumWaitMs' | 'minimumBytes' | 'restMs'>;

export interface FoldSettings {
  readonly fetch: FetchSettings;
  /** Prepares a partition before any of its records is folded. By default no preparation runs. */
  readonly prepare?: PreparePartition;
}

export interface ModelProjectionDependencies extends FoldSettings {
  readonly connections: Connections;
  readonly filtering: FilterAndDecryptDependencies;
  /** The turns in which the models of this process decode records. */
  readonly turns: SharedTurns;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The prefix of the names of topics and groups. */
  readonly prefix: string;
  /** Called when a consumer has ended permanently. */
  readonly onLost: (error: Error) => void;
}

/** Folds a model in every generation that its alias lists, and takes the steps of its rebuilds. */
export function createModelProjection<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: ModelProjectionDependencies,
): FoldedModel {
  const { connections, logger } = dependencies;
  const { aliases, generations, endedGenerations } = connections;
  const { name: model } = projection;
  const { version, topics } = modelDefinitions[model];
  startCounters(dependencies, model, topics);

  const runners = createGenerationRunners({
    model,
    version,
    logger,
    startRunner: async (generation, listed) => {
      const runner = await startRunner(projection, dependencies, { generation, listed });
      const ensureIndexes = () => generations.ensureIndexes(model, generation);
      const endIndexBuild = startIndexBuild({ ensureIndexes, logger });
      return {
        stop: async () => {
          endIndexBuild();
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
        waitForPositions(
          generations,
          generation,
          await endOffsetsOf(offsets, model),
          switchoverTimes.catchUp,
        ),
    }),
    dropEnded: () => endedGenerations.drop(model),
    logger,
    times: switchoverTimes,
  });

  return {
    model,
    start: async () => {
      await runners.follow(await generations.ensureLive(model));
    },
    follow: async (alias) => {
      await runners.follow(alias);
      await switchover.advance(alias);
    },
    stop: runners.stop,
  };
}

/**
 * Creates each metric series with zero: a series that starts with its first record shows no increase for that record.
 */
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

interface RunnerOptions {
  readonly generation: string;
  readonly listed: () => AliasDocument;
}

async function startRunner<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: ModelProjectionDependencies,
  { generation, listed }: RunnerOptions,
): Promise<GenerationRunner> {
  const { connections, fetch, prepare, metrics, logger, prefix, onLost } = dependencies;
  const { kafka, mongo, offsets } = connections;
  const { topics } = modelDefinitions[projection.name];
  const groupId = groupOf(prefix, generation);
  const buildingGeneration = () => {
    const alias = listed();
    return alias.building?.name === generation ? alias.building : null;
  };
  const groupConsumer = createGroupConsumer(kafka, logger, { groupId, topics, prefix, ...fetch });
  const runner = createProjectionRunner({
    projection,
    logger,
    filterAndDecrypt: createFilterAndDecrypt(projection, dependencies.filtering),
    turns: dependencies.turns,
    consumer: prepare === undefined ? groupConsumer : createAssignmentBarrier(groupConsumer, prepare),
    generation: openGeneration(mongo.database, generation, projection),
    offsets,
    deadLetters: createUnfoldedRecords({
      prefix,
      metrics,
      logger,
      deadLetters: dependencies.deadLettersOf(groupId),
      isBuilding: () => buildingGeneration() !== null,
    }),
    endOffsetOf: ({ topic, partition }: TopicPartition) => {
      const until = buildingGeneration()?.until;
      return until === undefined ? Number.POSITIVE_INFINITY : (until[topic]?.[String(partition)] ?? 0);
    },
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
