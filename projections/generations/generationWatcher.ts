import { setTimeout as pause } from 'node:timers/promises';

import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { AliasCache } from '../../shared/store/models/aliasCache.js';
import { versionOf, type AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';

/** A model that this process folds, in all its listed generations. */
export interface FoldedModel {
  readonly model: ModelName;
  /** Creates the model's generation if it is missing or was emptied, and folds the generation. */
  start: () => Promise<void>;
  /** Folds the generations that the current alias lists. */
  follow: (alias: AliasDocument) => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationWatcher {
  /** Resolves once every model is folded. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationWatcherDependencies {
  readonly aliasCache: Pick<AliasCache, 'aliases' | 'metaOf'>;
  readonly models: readonly FoldedModel[];
  readonly logger: Pick<Logger, 'warn'>;
  /** The pause between two reads of the aliases, in milliseconds; one second by default. */
  readonly restMs?: number;
}

const defaultRestMs = 1000;
const startTimeoutMs = 30_000;
const retryPauseMs = 200;

/**
 * Watches the aliases, and reads all of them once a second. A rebuild is an entry in an alias, and every projections
 * process takes part in the rebuild.
 */
export function createGenerationWatcher({
  aliasCache,
  models,
  logger,
  restMs = defaultRestMs,
}: GenerationWatcherDependencies): GenerationWatcher {
  /** Models with an update in flight. A slow update of one model delays no other model. */
  const steps = new Map<ModelName, Promise<void>>();

  /** Whether this process must start another live generation. Processes of another version leave a generation alone. */
  const isEmptied = async (model: ModelName, { live }: AliasDocument) => {
    if (versionOf(live) !== modelDefinitions[model].version || (await aliasCache.metaOf(live)) !== null) {
      return false;
    }
    logger.warn({ model, generation: live }, 'the read model was emptied');
    return true;
  };

  const step = async ({ model, start, follow }: FoldedModel, alias: AliasDocument | undefined) => {
    try {
      await (alias === undefined || (await isEmptied(model, alias)) ? start() : follow(alias));
    } catch (error) {
      logger.warn(
        { model, error: messageOf(error) },
        'the generations of a read model cannot be updated yet',
      );
    } finally {
      steps.delete(model);
    }
  };

  const updateModels = async () => {
    const read = await aliasCache.aliases();
    for (const folded of models) {
      if (!steps.has(folded.model)) {
        steps.set(folded.model, step(folded, read.get(folded.model)));
      }
    }
  };

  const updates = createPeriodicTask({
    pass: updateModels,
    logger,
    restMs,
    warning: 'the generations of the read models cannot be read yet',
  });

  return {
    start: async () => {
      await Promise.all(models.map(({ start }) => retryUntilDeadline(start)));
      updates.start();
    },
    stop: async () => {
      await updates.stop();
      await Promise.all(steps.values());
      await Promise.all(models.map(({ stop }) => stop()));
    },
  };
}

/** Retries the start of a model. A topic that was just created, or whose leader moves, has no leader for a moment. */
async function retryUntilDeadline(start: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      if (performance.now() >= deadline) {
        throw error;
      }
      await pause(retryPauseMs);
    }
  }
}
