import { OtherVersionError, UnavailableError } from '../core/errors.js';
import type { TopicOffsets } from '../log/client/topicOffsets.js';
import type { ReadinessCheck } from '../runtime/readiness.js';
import { createCaughtUp, type ModelProgress } from '../store/models/modelProgress.js';
import { modelNames, type ModelName } from '../store/models/modelDefinitions.js';
import type { ReadModels } from '../store/models/readModels.js';

type Models = Readonly<Record<ModelName, Pick<ReadModels[ModelName], 'meta'>>>;

export interface ReaderChecksDependencies {
  readonly models: Models;
  readonly progress: Readonly<Record<CaughtUpModel, ModelProgress>>;
  readonly offsets: TopicOffsets;
}

/**
 * The read models whose content must be current, because they contain the API keys, and the webhooks that get events.
 */
const caughtUpModels = ['accounts', 'webhooks'] as const;

type CaughtUpModel = (typeof caughtUpModels)[number];

/**
 * The read models that must be complete before a reading process is ready. In an incomplete read model, documents are
 * missing. While one of the other read models is built, requests that read it get 503.
 */
const neededModels: readonly ModelName[] = [...caughtUpModels, 'events'];

/**
 * The readiness checks of a process that reads the read models:
 * - The required read models are complete.
 * - No read model is of another version, so that an upgrade waits for all read models.
 * - API keys and webhooks contain all records that the log contained when the process started. After a downgrade, for
 *   example, a generation can be complete but old, because no process has folded it for a while.
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

/** The readiness checks that every read model is complete. */
export function createWriterChecks(models: Models): readonly ReadinessCheck[] {
  return modelNames.map((name) => checkOf(name, () => missingIn(models[name])));
}

/**
 * Whether no required read model is of another version. A missing or unavailable read model counts as readable, because
 * it may become available at any moment.
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
