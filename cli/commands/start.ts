import process from 'node:process';

import type { Command } from 'commander';

import { loadConfig } from '../../shared/settings/config.js';
import { createReleasers, type Releasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';
import { startStack, readRunningStack, type StackAddresses } from '../../stack/stack.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { checkServers } from '../environment/checkServers.js';
import {
  canStoreLocally,
  localDirectory,
  localServers,
  namesServers,
  present,
  readEnvironment,
  requireLocalStorage,
  type Environment,
} from '../environment/environment.js';
import { keepLocalSettings } from '../environment/localSettings.js';
import { migrate } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print, printStatus } from '../terminal/output.js';
import { createDemoAccount } from '../start/demoAccount.js';
import { readyText } from '../start/readyText.js';
import { rebuildOutdated } from '../start/rebuildOutdated.js';
import { developmentDefaults, withStartDefaults } from '../start/startDefaults.js';
import { createSupervisor } from '../start/supervisor.js';

interface StartOptions {
  readonly acceptLoss?: boolean;
}

export function addStartCommand(program: Command): void {
  program
    .command('start', { hidden: !canStoreLocally() && !namesServers(process.env) })
    .description('run the whole service on this machine')
    .addHelpText(
      'after',
      '\nWithout KAFKA_BROKERS, MONGODB_URL and REDIS_URL, local servers are started, with their data ' +
        'in .postrider/. The first start creates a demo account and prints its keys and a sign-in link. ' +
        'PORT (3000) and HOST (127.0.0.1) set the address to listen on.',
    )
    .option(
      '--accept-loss',
      'rebuild read models even if documents are lost, because the log has deleted their records',
    )
    .action(({ acceptLoss }: StartOptions) => start(acceptLoss === true));
}

const publicUrlSetting = 'POSTRIDER_PUBLIC_URL';

async function start(acceptLoss: boolean): Promise<void> {
  const releasers = createReleasers(createLogger({ role: 'start', level: 'silent', isTerminal: false }));
  const stopped = stopRequested();
  try {
    const ready = await Promise.race([bringUp(releasers, acceptLoss), stopped]);
    if (ready !== undefined) {
      print(ready);
      await stopped;
    }
    printStatus('Stopping …');
  } finally {
    await releasers.releaseAll();
  }
}

async function bringUp(releasers: Releasers, acceptLoss: boolean): Promise<string> {
  const given = present(await readEnvironment());
  const environment = await localEnvironment(given, releasers);
  const config = loadConfig(environment);
  if (namesServers(given)) {
    await checkServers(config);
  }
  // The servers of this folder belong to one developer. A start on other servers migrates their topics, so it is
  // logged. An accepted loss is always logged.
  if (namesServers(given) || acceptLoss) {
    logOperatorCommand(config, 'start', { acceptLoss });
  }
  await migrate(config);
  const watchdog = createWatchdog();
  releasers.add('watchdog', watchdog.close);
  const supervisor = createSupervisor(watchdog, config.http);
  releasers.add('roles', supervisor.stop);
  // The health and metrics ports of the roles: any free ports of this machine.
  const inner = { ...environment, HOST: '127.0.0.1', PORT: '0', POSTRIDER_METRICS_PORT: '0' };
  await supervisor.start('projections', inner);
  await rebuildOutdated(config, acceptLoss);
  const [, address] = await Promise.all([
    supervisor.start('delivery', inner),
    supervisor.start('api', environment),
  ]);
  const publicUrl = config.http.publicUrl ?? address;
  if (!namesServers(given)) {
    await keepLocalSettings(localDirectory, { [publicUrlSetting]: publicUrl });
  }
  return readyText(publicUrl, await createDemoAccount(config));
}

/** The settings of all roles: the given ones, and defaults for this machine. */
async function localEnvironment(given: Environment, releasers: Releasers): Promise<Environment> {
  if (namesServers(given)) {
    return withStartDefaults(given, 'configured servers');
  }
  requireLocalStorage();
  const addresses = (await readRunningStack(localDirectory)) ?? (await startOwnStack(releasers));
  // The public URL of an earlier start is only for commands that run next to that start.
  const { [publicUrlSetting]: _, ...kept } = await keepLocalSettings(localDirectory, {
    POSTRIDER_ALLOW_HTTP: given['POSTRIDER_ALLOW_HTTP'] ?? developmentDefaults.POSTRIDER_ALLOW_HTTP,
    POSTRIDER_ALLOW_PRIVATE_ADDRESSES:
      given['POSTRIDER_ALLOW_PRIVATE_ADDRESSES'] ?? developmentDefaults.POSTRIDER_ALLOW_PRIVATE_ADDRESSES,
  });
  return withStartDefaults({ ...kept, ...localServers(addresses), ...given }, 'local stack');
}

async function startOwnStack(releasers: Releasers): Promise<StackAddresses> {
  printStatus('Starting Kafka, MongoDB and Redis …');
  const stack = await startStack({ directory: localDirectory, onProgress: printStatus });
  releasers.add('local servers', stack.stop);
  return stack.addresses;
}

/**
 * Resolves on the first Ctrl-C or SIGTERM. The second one ends this process immediately, and the watchdog ends the
 * others.
 */
function stopRequested(): Promise<undefined> {
  return new Promise((resolve) => {
    const onSignal = () => {
      resolve(undefined);
      process.once('SIGINT', () => process.exit(1));
      process.once('SIGTERM', () => process.exit(1));
    };
    process.once('SIGINT', onSignal);
    process.once('SIGTERM', onSignal);
  });
}
