import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { versionOf, writtenGenerations, type AliasDocument } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** The runner that folds one generation of a model in this process. */
export interface GenerationRunner {
  stop: () => Promise<void>;
}

/** The generations of one model that this process folds. */
export interface GenerationRunners {
  /** Folds exactly the generations that the alias lists. After a failure, the next call retries. */
  follow: (alias: AliasDocument) => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationRunnersDependencies {
  readonly model: ModelName;
  readonly version: number;
  /**
   * @param listed returns the alias that was read last, because the state of a generation changes while it is folded
   */
  readonly startRunner: (generation: string, listed: () => AliasDocument) => Promise<GenerationRunner>;
  readonly logger: Logger;
}

export function createGenerationRunners(dependencies: GenerationRunnersDependencies): GenerationRunners {
  const { model, version, startRunner, logger } = dependencies;
  const runners = new Map<string, GenerationRunner>();
  let reportedGeneration: string | null = null;
  let stopped = false;
  let last: Promise<void> = Promise.resolve();
  let alias: AliasDocument;

  const reportVersion = ({ live }: AliasDocument) => {
    if (versionOf(live) !== version && reportedGeneration !== live) {
      reportedGeneration = live;
      logger.warn(
        { model, live, version },
        `the read model "${model}" has another version than this process: run "postrider rebuild ${model}"`,
      );
    }
  };

  const update = async () => {
    const listed = new Set(stopped ? [] : writtenGenerations(alias, version));
    for (const [generation, runner] of runners) {
      if (!listed.has(generation)) {
        runners.delete(generation);
        await runner.stop().catch((error: unknown) => {
          logger.warn(
            { model, generation, error: messageOf(error) },
            'the runner of the generation has failed to stop',
          );
        });
        logger.debug({ model, generation }, 'the generation is no longer folded');
      }
    }
    for (const generation of listed) {
      if (!runners.has(generation)) {
        runners.set(generation, await startRunner(generation, () => alias));
        logger.debug({ model, generation }, 'the generation is folded');
      }
    }
  };

  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    follow: (current) => {
      // The alias is stored before any wait, so that running runners use it while another runner starts.
      alias = current;
      reportVersion(current);
      return inOrder(update);
    },
    stop: () => {
      stopped = true;
      return inOrder(update);
    },
  };
}
