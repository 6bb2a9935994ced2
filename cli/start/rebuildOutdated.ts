import type { Config } from '../../shared/config.js';
import { versionOf } from '../../shared/mongo/generations.js';
import { modelDefinitions, modelNames } from '../../shared/mongo/readModels.js';
import { tell } from '../output.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import { rebuildModel } from '../rebuild/rebuildModel.js';
import { withStores } from '../stores.js';

/** Rebuilds the models whose documents another version of this program has written. The projections must run. */
export async function rebuildOutdated(config: Config): Promise<void> {
  await withStores(config, async (stores) => {
    const aliases = await stores.aliases.all();
    const outdated = modelNames.filter((model) => {
      const alias = aliases.get(model);
      return alias !== undefined && versionOf(alias.live) !== modelDefinitions[model].version;
    });
    if (outdated.length === 0) {
      return;
    }
    tell(`Building read models of this version from the log: ${outdated.join(', ')} …`);
    const display = createProgressDisplay();
    try {
      await Promise.all(outdated.map((model) => rebuildModel(stores, model, display.report)));
    } finally {
      display.close();
    }
  });
}
