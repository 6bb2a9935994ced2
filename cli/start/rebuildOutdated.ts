import type { Config } from '../../shared/settings/config.js';
import { versionOf } from '../../shared/store/models/generations.js';
import { modelDefinitions, modelNames, type ModelName } from '../../shared/store/models/readModels.js';
import { printStatus } from '../terminal/output.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import { planRebuilds, type RebuildPlan } from '../rebuild/planRebuild.js';
import { rebuildModel } from '../rebuild/rebuildModel.js';
import { withStores, type Stores } from '../environment/stores.js';

/**
 * Rebuilds the models whose documents another version of this program has written. The projections must run.
 * @throws CommandFailure if a model would lose documents and the loss is not accepted, before any rebuild starts; also
 * if a rebuild was canceled or rejected
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

async function findOutdated({ aliases }: Stores): Promise<readonly ModelName[]> {
  const listed = await aliases.all();
  return modelNames.filter((model) => {
    const alias = listed.get(model);
    return alias !== undefined && versionOf(alias.live) !== modelDefinitions[model].version;
  });
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
