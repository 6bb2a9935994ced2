import { OtherVersionError, UnavailableError } from '../core/errors.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import { createCaughtUp, type ModelProgress } from '../store/models/modelProgress.js';
import { modelNames, type ModelName, type ReadModels } from '../store/models/readModels.js';
import type { ReadinessCheck } from '../runtime/readiness.js';

type Models = Readonly<Record<ModelName, Pick<ReadModels[ModelName], 'meta'>>>;

export interface ReaderChecksDependencies {
  readonly models: Models;
  readonly progress: Readonly<Record<CaughtUpModel, ModelProgress>>;
  readonly offsets: TopicOffsets;
}

/** What they hold is of now: who has a key, and where events go. */
const caughtUpModels = ['accounts', 'webhooks'] as const;

type CaughtUpModel = (typeof caughtUpModels)[number];

/**
 * Without these a process that reads the models has nothing to say: what is missing in one that is not complete may still exist. What
 * is read of the others is a 503 by itself while they are being built.
 */
const neededModels: readonly ModelName[] = [...caughtUpModels, 'events'];

/**
 * What a process needs of the models that it reads. Those that it cannot do without are complete; none is of another version, so that
 * an upgrade waits for all of them; and keys and webhooks are known as of the beginning of the process. A generation that nobody has
 * written for a while, as after a downgrade, is complete and knows only those of then.
 */
export function createReaderChecks(dependencies: ReaderChecksDependencies): readonly ReadinessCheck[] {
  const { models, progress, offsets } = dependencies;
  const others = modelNames.filter((name) => !neededModels.includes(name));
  return [
    ...neededModels.map((name) => checkOf(name, () => missingIn(models[name]))),
    ...others.map((name) => checkOf(name, () => otherVersionOf(models[name]))),
    ...caughtUpModels.map((name) => {
      const hasCaughtUp = createCaughtUp(progress[name], offsets, name);
      const check = async () => ((await hasCaughtUp()) ? null : 'behind what the log held before');
      return { name: `${name} of now`, check };
    }),
  ];
}

/** That every model is complete. */
export function createWriterChecks(models: Models): readonly ReadinessCheck[] {
  return modelNames.map((name) => checkOf(name, () => missingIn(models[name])));
}

/**
 * Whether no model that a process cannot do without is of another version. One that is not there, or not to be reached now, is no reason
 * to say so: it may be there any moment.
 */
export async function areReadable(models: Models): Promise<boolean> {
  const found = await Promise.all(neededModels.map((name) => otherVersionOf(models[name])));
  return found.every((missing) => missing === null);
}

function checkOf(name: ModelName, check: ReadinessCheck['check']): ReadinessCheck {
  return { name: `model ${name}`, check };
}

async function missingIn(model: Models[ModelName]): Promise<string | null> {
  try {
    return (await model.meta()).complete ? null : 'being built from the log';
  } catch (error) {
    return error instanceof UnavailableError ? error.message : 'not reached';
  }
}

async function otherVersionOf(model: Models[ModelName]): Promise<string | null> {
  try {
    await model.meta();
    return null;
  } catch (error) {
    return error instanceof OtherVersionError ? error.message : null;
  }
}
