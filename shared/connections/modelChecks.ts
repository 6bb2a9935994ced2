import { OtherVersionError, UnavailableError } from '../core/errors.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import type { ReadinessCheck } from '../runtime/readiness.js';
import { createCaughtUp, type ModelProgress } from '../store/models/modelProgress.js';
import { modelNames, type ModelName, type ReadModels } from '../store/models/readModels.js';

type Models = Readonly<Record<ModelName, Pick<ReadModels[ModelName], 'meta'>>>;

export interface ReaderChecksDependencies {
  readonly models: Models;
  readonly progress: Readonly<Record<CaughtUpModel, ModelProgress>>;
  readonly offsets: TopicOffsets;
}

/** The models whose content must be current: API keys, and the webhooks that get events. */
const caughtUpModels = ['accounts', 'webhooks'] as const;

type CaughtUpModel = (typeof caughtUpModels)[number];

/**
 * The models that a reading process requires. In an incomplete one, a missing document may still exist. Reads of the
 * other models answer 503 while they are built.
 */
const neededModels: readonly ModelName[] = [...caughtUpModels, 'events'];

/**
 * The readiness checks of a process that reads the models:
 * - The required models are complete.
 * - No model is of another version, so that an upgrade waits for all of them.
 * - API keys and webhooks contain all that the log contained when the process started. A generation that no process has
 *   written for a while, as after a downgrade, is complete but old.
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

/** The checks that every model is complete. */
export function createWriterChecks(models: Models): readonly ReadinessCheck[] {
  return modelNames.map((name) => checkOf(name, () => missingIn(models[name])));
}

/**
 * Whether no required model is of another version. A missing or unavailable model does not count, because it may become
 * available at any moment.
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
