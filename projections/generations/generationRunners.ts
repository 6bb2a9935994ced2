import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { versionOf, writtenGenerations, type AliasDocument } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

/** What folds one generation of a model in this process. */
export interface GenerationRunner {
  stop: () => Promise<void>;
}

/** The generations of one model that this process folds. */
export interface GenerationRunners {
  /** Folds what the alias lists from now on, and nothing else. What fails is tried again with the next call. */
  follow: (alias: AliasDocument) => Promise<void>;
  stop: () => Promise<void>;
}

export interface GenerationRunnersDependencies {
  readonly model: ModelName;
  readonly version: number;
  /** @param listed the alias as it was read last: what is asked of a generation changes while it is folded */
  readonly startRunner: (generation: string, listed: () => AliasDocument) => Promise<GenerationRunner>;
  readonly logger: Logger;
}

export function createGenerationRunners(dependencies: GenerationRunnersDependencies): GenerationRunners {
  const { model, version, startRunner, logger } = dependencies;
  const runners = new Map<string, GenerationRunner>();
  let reported: string | null = null;
  let stopped = false;
  let last: Promise<void> = Promise.resolve();
  let alias: AliasDocument;

  const reportVersion = ({ live }: AliasDocument) => {
    if (versionOf(live) !== version && reported !== live) {
      reported = live;
      logger.warn(
        { model, live, version },
        `the read model "${model}" is of another version: "postrider rebuild ${model}" builds this one`,
      );
    }
  };

  const update = async () => {
    const listed = new Set(stopped ? [] : writtenGenerations(alias, version));
    for (const [generation, runner] of runners) {
      if (!listed.has(generation)) {
        runners.delete(generation);
        await runner.stop().catch((error: unknown) => {
          logger.warn({ model, generation, error: messageOf(error) }, 'could not be stopped in order');
        });
        logger.debug({ model, generation }, 'the generation is not folded any more');
      }
    }
    for (const generation of listed) {
      if (!runners.has(generation)) {
        runners.set(generation, await startRunner(generation, () => alias));
        logger.debug({ model, generation }, 'the generation is folded');
      }
    }
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    follow: (read) => {
      // At once: a runner that is there goes by it, also while another one is being started.
      alias = read;
      reportVersion(read);
      return inTurn(update);
    },
    stop: () => {
      stopped = true;
      return inTurn(update);
    },
  };
}
