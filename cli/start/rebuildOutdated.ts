import type { Config } from '../../shared/settings/config.js';
import { connectMongo } from '../../shared/store/client/client.js';
import { createAliases } from '../../shared/store/generations/aliases.js';
import { versionOf, type AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions, modelNames, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { printStatus } from '../terminal/output.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import { planRebuilds, type RebuildPlan } from '../rebuild/planRebuild.js';
import { rebuildModel } from '../rebuild/rebuildModel.js';
import { withStores, type Stores } from '../environment/stores.js';

/**
 * Rebuilds the read models whose documents another version of this program has written. The projections role must run.
 * @throws CommandFailure before the first rebuild, if a model would lose documents and the loss is not accepted, and
 * after a canceled or rejected rebuild
 */
export async function rebuildOutdated(config: Config, acceptLoss: boolean): Promise<void> {
  await withStores(config, async (stores) => {
    const plans = await planRebuilds(stores, await findOutdated(stores), acceptLoss);
    if (plans.length === 0) {
      return;
    }
    describePlans(plans).forEach(printStatus);
    const display = createProgressDisplay();
    try {
      await Promise.all(plans.map((plan) => rebuildModel(stores, plan, display.report)));
    } finally {
      display.close();
    }
  });
}

/** Whether a read model is missing, or another version of this program has written its documents. */
export async function needsRebuild(config: Config): Promise<boolean> {
  const mongo = await connectMongo(config.mongodb.url, 'postrider-start', config.mongodb.tls);
  try {
    const listed = await createAliases(mongo.database).all();
    return modelNames.some((model) => !isOfThisVersion(model, listed.get(model)));
  } finally {
    await mongo.close();
  }
}

async function findOutdated({ aliases }: Stores): Promise<readonly ModelName[]> {
  const listed = await aliases.all();
  return modelNames.filter((model) => {
    const alias = listed.get(model);
    return alias !== undefined && !isOfThisVersion(model, alias);
  });
}

function isOfThisVersion(model: ModelName, alias: AliasDocument | undefined): boolean {
  return alias !== undefined && versionOf(alias.live) === modelDefinitions[model].version;
}

function describePlans(plans: readonly RebuildPlan[]): readonly string[] {
  const namesOf = (some: readonly RebuildPlan[]) => some.map(({ model }) => model).join(', ');
  const converted = plans.filter(({ source }) => source !== undefined);
  const built = plans.filter(({ source }) => source === undefined);
  return [
    ...(built.length > 0 ? [`Building read models of this version from the log: ${namesOf(built)} …`] : []),
    ...(converted.length > 0 ? [`Converting read models into this version: ${namesOf(converted)} …`] : []),
  ];
}
