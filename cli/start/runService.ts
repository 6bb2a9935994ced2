import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Config } from '../../shared/settings/config.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { createAccount, type CreatedAccount } from '../accounts/createAccount.js';
import { checkServers } from '../environment/checkServers.js';
import type { Environment } from '../environment/environment.js';
import { migrate } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { needsRebuild, rebuildOutdated } from './rebuildOutdated.js';
import { createSupervisor } from './supervisor.js';

export interface ServiceOptions {
  readonly environment: Environment;
  /** The settings in `environment`, parsed. */
  readonly config: Config;
  /** Whether the settings name servers, so that the local servers of this folder are not used. */
  readonly hasConfiguredServers: boolean;
  readonly acceptLoss: boolean;
  /** Whether one process runs all roles. */
  readonly isSmall: boolean;
}

export interface StartedService {
  readonly address: string;
  /** The new demo account, or null if an account existed before. */
  readonly demo: CreatedAccount | null;
}

/** Starts all roles, on servers that already run. */
export async function runService(
  { environment, config, hasConfiguredServers, acceptLoss, isSmall }: ServiceOptions,
  releasers: Releasers,
): Promise<StartedService> {
  if (hasConfiguredServers) {
    await checkServers(config);
  }
  // The servers of this folder belong to one developer. A start on other servers migrates their topics, so the security
  // log gets a line. An accepted loss of documents is always logged.
  if (hasConfiguredServers || acceptLoss) {
    logOperatorCommand(config, 'start', { acceptLoss });
  }
  const [, hasToRebuild] = await Promise.all([migrate(config), needsRebuild(config)]);
  const watchdog = createWatchdog();
  releasers.add('watchdog', watchdog.close);
  const supervisor = createSupervisor(watchdog, config.http);
  releasers.add('roles', supervisor.stop);
  if (isSmall) {
    const address = await supervisor.start('all', environment);
    if (hasToRebuild) {
      await rebuildOutdated(config, acceptLoss);
    }
    return { address, demo: await createDemoAccount(config) };
  }
  // The health and metrics ports of the roles may be any free ports of this machine.
  const inner = { ...environment, HOST: '127.0.0.1', PORT: '0', POSTRIDER_METRICS_PORT: '0' };
  const projections = supervisor.start('projections', inner);
  if (hasToRebuild) {
    // The API and the delivery role need read models of this version, and do not wait for a model that does not exist.
    await projections;
    await rebuildOutdated(config, acceptLoss);
  }
  const [, address, demo] = await Promise.all([
    supervisor.start('delivery', inner),
    supervisor.start('api', environment),
    projections.then(() => createDemoAccount(config)),
  ]);
  return { address, demo };
}

const demoAccount = {
  name: 'Demo',
  email: 'demo@localhost',
  plan: 'enterprise',
  requestsPerSecond: 100_000,
} as const;

const modelTimeoutMs = 60_000;

/** Creates an account for trying the service if none exists. The result is null if an account exists. */
async function createDemoAccount(config: Config): Promise<CreatedAccount | null> {
  return withStores(config, async ({ models, commands, offsets, progress }) => {
    // If the read models were deleted but the log was not, the account exists and the projections are restoring it.
    const ends = allPartitions(await offsets.ends('accounts'));
    if (!(await progress.accounts.reached('accounts', ends, modelTimeoutMs))) {
      throw new CommandFailure('The read model of accounts is not ready. See the log of the projections.');
    }
    const { documents } = await models.accounts.findAll({});
    return documents.length === 0 ? createAccount(commands, demoAccount, new Date()) : null;
  });
}
