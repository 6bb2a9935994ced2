import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { SharedTurns } from '../../shared/concurrency/sharedTurns.js';
import type { Connections } from '../../shared/connections/connections.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import { createAssignmentBarrier, type PreparePartition } from '../../shared/log/group/assignmentBarrier.js';
import { createGroupConsumer } from '../../shared/log/group/groupConsumer.js';
import type { GroupConsumerSettings } from '../../shared/log/group/kafkajsConsumer.js';
import { reportGroup, type GroupDelay } from '../../shared/log/lag/groupReport.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { openGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { groupOf, type AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Projection } from '../models/projection.js';
import {
  createFilterAndDecrypt,
  createUnfoldedRecords,
  type FilterAndDecryptDependencies,
} from '../runtime/readRecords.js';
import { createProjectionRunner } from '../runtime/runner.js';
import type { GenerationRunner } from './generationRunners.js';

export type FetchSettings = Pick<GroupConsumerSettings, 'maximumWaitMs' | 'minimumBytes' | 'restMs'>;

export interface FoldSettings {
  readonly fetch: FetchSettings;
  /** Prepares a partition before any of its records is folded. By default no preparation runs. */
  readonly prepare?: PreparePartition;
}

export interface GenerationRunnerDependencies extends FoldSettings {
  readonly connections: Connections;
  readonly filtering: FilterAndDecryptDependencies;
  /** The turns in which the models of this process decode and fold records. */
  readonly turns: SharedTurns;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The prefix of the names of topics and groups. */
  readonly prefix: string;
  /** Called when a consumer has ended permanently. */
  readonly onLost: (error: Error) => void;
}

interface FoldedGeneration {
  readonly generation: string;
  readonly listed: () => AliasDocument;
}

/**
 * Starts to fold a generation of a model: its runner, the build of its indexes, and its metrics. A stopped generation is
 * folded no more, and has no metrics.
 */
export async function startGenerationRunner<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: GenerationRunnerDependencies,
  { generation, listed }: FoldedGeneration,
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
  const ensureIndexes = () => connections.generations.ensureIndexes(projection.name, generation);
  const endIndexBuild = startIndexBuild({ ensureIndexes, logger });
  const endReport = reportGroup({ group: groupId, progress: runner, offsets, metrics, onDelay: delay.show });
  return {
    stop: async () => {
      endIndexBuild();
      endReport();
      delay.remove();
      await runner.stop();
    },
  };
}

export interface ModelDelayDependencies {
  readonly model: ModelName;
  readonly generation: string;
  /** The alias of the model that was read last. */
  readonly listed: () => AliasDocument;
  readonly metrics: Pick<Metrics, 'projectionBehind' | 'projectionStalled'>;
}

/** The metrics of one generation's delay, in the partitions of this process. */
export interface ModelDelay {
  /** @param delay null if it is unknown */
  show: (delay: GroupDelay | null) => void;
  /** Removes the metric series of the generation. */
  remove: () => void;
}

/**
 * The metrics of a generation's delay. Only the live generation has a delay, because a rebuild reads old records until
 * it is done. The live generation and a rebuild may stall. A compared generation has no series, because it stops at
 * given offsets. A previous generation has no series, because it serves no process of this version.
 */
export function createModelDelay({ model, generation, listed, metrics }: ModelDelayDependencies): ModelDelay {
  const { projectionBehind, projectionStalled } = metrics;
  const labels = { model, generation };
  const remove = () => {
    projectionBehind.remove(labels);
    projectionStalled.remove(labels);
  };
  return {
    show: (delay) => {
      remove();
      const { live, building } = listed();
      const isLive = live === generation;
      const isSwitching = building?.name === generation && building.purpose === 'switch';
      if (delay !== null && isLive) {
        projectionBehind.set(labels, delay.oldestMs / 1000);
      }
      if (delay !== null && (isLive || isSwitching)) {
        projectionStalled.set(labels, delay.stalledMs / 1000);
      }
    },
    remove,
  };
}

export interface IndexBuildDependencies {
  /** Builds the missing indexes. The build may take hours, and may run in several processes at the same time. */
  readonly ensureIndexes: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
  /** The pause between two attempts, in milliseconds; five seconds by default. */
  readonly restMs?: number;
}

const defaultRestMs = 5000;

/**
 * Builds the indexes of a generation in parallel with its fold, and retries until the indexes exist. Lists that need a
 * missing index answer 503.
 * @returns a function that ends the retries without waiting for a build: the server finishes the build, or the next
 * process repeats it
 */
export function startIndexBuild({
  ensureIndexes,
  logger,
  restMs = defaultRestMs,
}: IndexBuildDependencies): () => void {
  const attempts = createPeriodicTask({
    pass: async (signal) => {
      try {
        await ensureIndexes();
        void attempts.stop();
      } catch (error) {
        if (!signal.aborted) {
          throw error;
        }
      }
    },
    restMs,
    logger,
    warning: 'the indexes of a read model cannot be built yet',
  });
  attempts.start();
  return () => {
    void attempts.stop();
  };
}
