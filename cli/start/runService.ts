import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Config } from '../../shared/settings/config.js';
import { connectMongo } from '../../shared/store/client/client.js';
import { createAliases } from '../../shared/store/generations/aliases.js';
import { versionOf, type AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions, modelNames, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { checkServers } from '../environment/checkServers.js';
import type { Environment } from '../environment/environment.js';
import { migrate } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { planRebuilds, type RebuildPlan } from '../rebuild/planRebuild.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import { rebuildModel } from '../rebuild/rebuildModel.js';
import { printStatus } from '../terminal/output.js';
import { firstAccount, type FirstAccountOptions, type StartAccount } from './firstAccount.js';
import { createSupervisor } from './supervisor.js';

export interface ServiceOptions extends FirstAccountOptions {
  readonly environment: Environment;
  /** The settings in `environment`, parsed. */
  readonly config: Config;
  /** Whether the settings name servers, so that the local servers of this folder are not used. */
  readonly hasConfiguredServers: boolean;
  readonly acceptLoss: boolean;
  /** Whether one process runs all roles. */
  readonly isSmall: boolean;
  /** Whether a local server has ended, and does not run again. */
  readonly hasServerEnded: () => Promise<boolean>;
}

export interface StartedService {
  readonly address: string;
  readonly account: StartAccount;
}

/** Starts all roles, on servers that already run. */
export async function runService(options: ServiceOptions, releasers: Releasers): Promise<StartedService> {
  const { environment, config, hasConfiguredServers, acceptLoss, isSmall } = options;
  if (hasConfiguredServers) {
    await checkServers(config);
  }
  // The servers of this folder belong to one developer. A start on other servers migrates their topics, so the security
  // log gets a line. An accepted loss of documents is always logged.
  if (hasConfiguredServers || acceptLoss) {
    logOperatorCommand(config, 'start', { acceptLoss });
  }
  const [, hasToRebuild] = await Promise.all([migrate(config), needsRebuild(config)]);
  options.signal.throwIfAborted();
  const watchdog = createWatchdog();
  releasers.add('watchdog', watchdog.close);
  const supervisor = createSupervisor(watchdog, config.http);
  releasers.add('roles', async () => {
    await ((await options.hasServerEnded()) ? supervisor.stopSoon() : supervisor.stop());
  });
  if (isSmall) {
    const address = await supervisor.start('all', environment);
    if (hasToRebuild) {
      await rebuildOutdated(config, acceptLoss);
    }
    return { address, account: await firstAccount(config, options) };
  }
  // The health and metrics ports of the roles may be any free ports of this machine.
  const inner = { ...environment, HOST: '127.0.0.1', PORT: '0', POSTRIDER_METRICS_PORT: '0' };
  const projections = supervisor.start('projections', inner);
  if (hasToRebuild) {
    // The API and the delivery role need read models of this version, and do not wait for a model that does not exist.
    await projections;
    await rebuildOutdated(config, acceptLoss);
  }
  const [, address, account] = await Promise.all([
    supervisor.start('delivery', inner),
    supervisor.start('api', environment),
    projections.then(() => firstAccount(config, options)),
  ]);
  return { address, account };
}

/**
 * Rebuilds the read models whose documents another version of this program has written. The projections role must run.
 * @throws CommandFailure before the first rebuild, if a model would lose documents and the loss is not accepted, and
 * after a canceled or rejected rebuild
 */
async function rebuildOutdated(config: Config, acceptLoss: boolean): Promise<void> {
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
async function needsRebuild(config: Config): Promise<boolean> {
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
