import type { Connections } from '../shared/connections.js';
import { messageOf } from '../shared/errors.js';
import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import { createGroupConsumer, type GroupConsumerSettings } from '../shared/kafka/groupConsumer.js';
import { createPreparedConsumer, type PreparePartition } from '../shared/kafka/preparedConsumer.js';
import { reportGroup } from '../shared/kafka/groupReport.js';
import type { TopicPartition } from '../shared/kafka/topicPartition.js';
import type { Logger } from '../shared/logger.js';
import type { Metrics } from '../shared/metrics.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import { groupOf, type AliasDocument } from '../shared/mongo/generations.js';
import { createGenerationConversion } from '../shared/mongo/generationConversion.js';
import { createLeases } from '../shared/mongo/leases.js';
import { endsOf } from '../shared/mongo/modelEnds.js';
import { openGeneration } from '../shared/mongo/modelGeneration.js';
import { modelDefinitions, type ModelName } from '../shared/mongo/readModels.js';
import { fullTopicName, type TopicName } from '../shared/topics/names.js';
import type { FoldedModel } from './aliasWatch.js';
import { createConversion } from './conversion.js';
import { startIndexBuild } from './indexBuild.js';
import { createModelDelay } from './modelDelay.js';
import { createModelRunners, type GenerationRunner } from './modelRunners.js';
import type { Projection } from './projection.js';
import { createProjectionRunner } from './runner.js';
import { createSetAside } from './setAside.js';
import { createSift, type SiftDependencies } from './sift.js';
import { createSwitchComparison } from './switchComparison.js';
import { createSwitchover, passes, switchoverTimes } from './switchover.js';

export type FetchSettings = Pick<GroupConsumerSettings, 'maximumWaitMs' | 'minimumBytes' | 'restMs'>;

export interface FoldSettings {
  readonly fetch: FetchSettings;
  /** What has to be before anything of a partition is folded; nothing by default. */
  readonly prepare?: PreparePartition;
}

export interface FoldedModelDependencies extends FoldSettings {
  readonly connections: Connections;
  readonly sifting: SiftDependencies;
  readonly deadLettersOf: (group: string) => DeadLetters;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Stands before the names of topics and groups. */
  readonly prefix: string;
  /** Called when a consumer has ended for good. */
  readonly onLost: (error: Error) => void;
}

/** Folds a model in every generation that its alias lists, and takes its rebuilds from step to step. */
export function createFoldedModel<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: FoldedModelDependencies,
): FoldedModel {
  const { connections, logger } = dependencies;
  const { aliases, generations, endedGenerations } = connections;
  const { name: model } = projection;
  const { version, topics } = modelDefinitions[model];
  startCounters(dependencies, model, topics);

  const beginAndFold = async () => {
    await runners.follow(await generations.ensureLive(model));
  };

  const runners = createModelRunners({
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
        passes(generations, generation, await endsOf(offsets, model), switchoverTimes.catchUp),
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
  { metrics, prefix }: Pick<FoldedModelDependencies, 'metrics' | 'prefix'>,
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
  dependencies: FoldedModelDependencies,
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
    sift: createSift(projection, dependencies.sifting),
    consumer: prepare === undefined ? member : createPreparedConsumer(member, prepare),
    generation: openGeneration(mongo.database, generation, projection),
    watch,
    offsets,
    deadLetters: createSetAside({
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
