import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Config } from '../../shared/settings/config.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { checkServers } from '../environment/checkServers.js';
import type { Environment } from '../environment/environment.js';
import { migrate } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { firstAccount, type FirstAccountOptions, type StartAccount } from './firstAccount.js';
import { needsRebuild, rebuildOutdated } from './rebuildOutdated.js';
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
