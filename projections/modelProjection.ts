import { fullTopicName, type TopicName } from '../shared/log/topics/names.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { endOffsetsOf } from '../shared/store/generations/endOffsets.js';
import { createGenerationConversion } from '../shared/store/generations/generationConversion.js';
import type { ModelDocument } from '../shared/store/models/documents.js';
import { modelDefinitions, type ModelName } from '../shared/store/models/modelDefinitions.js';
import { createConversion } from './generations/conversion.js';
import { startGenerationRunner, type GenerationRunnerDependencies } from './generations/generationRunner.js';
import { createGenerationRunners } from './generations/generationRunners.js';
import type { FoldedModel } from './generations/generationWatcher.js';
import { createSwitchComparison } from './generations/switchComparison.js';
import { createSwitchover, waitForPositions, switchoverTimes } from './generations/switchover.js';
import type { Projection } from './models/projection.js';

/** Folds a model in every generation that its alias lists, and takes the steps of its rebuilds. */
export function createModelProjection<Model extends ModelDocument>(
  projection: Projection<Model>,
  dependencies: GenerationRunnerDependencies,
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
    startRunner: (generation, listed) =>
      startGenerationRunner(projection, dependencies, { generation, listed }),
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
  { metrics, prefix }: Pick<GenerationRunnerDependencies, 'metrics' | 'prefix'>,
  model: ModelName,
  topics: readonly TopicName[],
): void {
  metrics.unfoldedRecords.inc({ model }, 0);
  for (const topic of topics) {
    metrics.deadLetters.inc({ topic: fullTopicName(prefix, topic) }, 0);
  }
}
