import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { AliasDocument } from '../../shared/store/models/generations.js';
import type { AliasCache } from '../../shared/store/models/aliasCache.js';
import type { ModelName } from '../../shared/store/models/readModels.js';
import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';

/** A model that this process folds, in whichever generations. */
export interface FoldedModel {
  readonly model: ModelName;
  /** Begins the model where it is not there, or was emptied, and folds it. */
  begin: () => Promise<void>;
  /** Goes by the alias as it is now. */
  follow: (alias: AliasDocument) => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationWatcher {
  /** Resolves once every model is folded. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationWatcherDependencies {
  readonly aliases: AliasCache['aliases'];
  readonly models: readonly FoldedModel[];
  readonly logger: Logger;
}

const intervalMs = 1000;
const patienceMs = 30_000;
const pauseMs = 200;

/** Looks at all aliases once a second: a rebuild is an entry there, and every process takes part in it. */
export function createGenerationWatcher({
  aliases,
  models,
  logger,
}: GenerationWatcherDependencies): GenerationWatcher {
  /** Models with a step under way: one that takes its time holds up no other. */
  const steps = new Map<ModelName, Promise<void>>();

  const step = async ({ model, begin, follow }: FoldedModel, alias: AliasDocument | undefined) => {
    try {
      await (alias === undefined ? begin() : follow(alias));
    } catch (error) {
      logger.warn({ model, error: messageOf(error) }, 'the generations of a model are looked at again');
    } finally {
      steps.delete(model);
    }
  };

  const look = async () => {
    const read = await aliases();
    for (const folded of models) {
      if (!steps.has(folded.model)) {
        steps.set(folded.model, step(folded, read.get(folded.model)));
      }
    }
  };

  const looks = createPeriodicTask({
    ...{ pass: look, logger },
    restMs: intervalMs,
    warning: 'which generations there are is not known for now',
  });

  return {
    start: async () => {
      await Promise.all(models.map(({ begin }) => patiently(begin)));
      looks.start();
    },
    stop: async () => {
      await looks.stop();
      await Promise.all(steps.values());
      await Promise.all(models.map(({ stop }) => stop()));
    },
  };
}

/** A topic that was just made, or whose leader moves, has nobody who answers for a moment. */
async function patiently(begin: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await begin();
      return;
    } catch (error) {
      if (performance.now() >= deadline) {
        throw error;
      }
      await pause(pauseMs);
    }
  }
}
