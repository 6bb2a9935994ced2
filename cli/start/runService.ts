import { UnavailableError } from '../../shared/core/errors.js';
import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Config } from '../../shared/settings/config.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { createAccount, type CreatedAccount } from '../accounts/createAccount.js';
import { checkServers } from '../environment/checkServers.js';
import type { Environment } from '../environment/environment.js';
import { migrate } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { printStatus } from '../terminal/output.js';
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

/**
 * How long the start waits for the read model of accounts. On a busy machine, a start of all roles takes minutes. The keys
 * of the new account are shown only after the wait.
 */
const modelTimeoutMs = 300_000;
const statusIntervalMs = 10_000;

/** Creates an account for trying the service if none exists. The result is null if an account exists. */
async function createDemoAccount(config: Config): Promise<CreatedAccount | null> {
  const startedAt = performance.now();
  const status = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    printStatus(`Waiting for the read model of accounts (${seconds} s) …`);
  }, statusIntervalMs);
  try {
    return await withStores(config, createFirstAccount, { readModelMs: modelTimeoutMs });
  } finally {
    clearInterval(status);
  }
}

async function createFirstAccount({ models, commands, offsets, progress }: Stores) {
  // If the read models were deleted but the log was not, the account exists and the projections are restoring it.
  const ends = allPartitions(await offsets.ends('accounts'));
  if (!(await progress.accounts.reached('accounts', ends, modelTimeoutMs))) {
    throw new CommandFailure('The read model of accounts is not ready. See the log of the projections.');
  }
  const { documents } = await models.accounts.findAll({});
  if (documents.length > 0) {
    return null;
  }
  try {
    return await createAccount(commands, demoAccount, new Date());
  } catch (error) {
    if (error instanceof UnavailableError) {
      throw new CommandFailure(
        `The demo account could not be created: ${error.message}. See the log of the projections. If the account ` +
          'appears later, its keys are lost. "postrider account create" creates another account.',
      );
    }
    throw error;
  }
}
