import process from 'node:process';

import type { Command } from 'commander';

import { givenSettings, loadConfig } from '../../shared/settings/config.js';
import { createReleasers, type Releasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';
import { startStack, readRunningStack, type StackAddresses } from '../../stack/stack.js';
import {
  canStoreLocally,
  localDirectory,
  localServers,
  namesServers,
  readEnvironment,
  requireLocalStorage,
  type Environment,
} from '../environment/environment.js';
import { keepLocalSettings } from '../environment/localSettings.js';
import { print, printStatus } from '../terminal/output.js';
import { readyText } from '../start/readyText.js';
import type { ServiceOptions } from '../start/runService.js';
import { developmentDefaults, withStartDefaults } from '../start/startDefaults.js';
import { createUnprintedKeys } from '../start/unprintedKeys.js';

interface StartOptions {
  readonly acceptLoss?: boolean;
  readonly small?: boolean;
}

export function addStartCommand(program: Command): void {
  program
    .command('start', { hidden: !canStoreLocally() && !namesServers(process.env) })
    .description('run the whole service on this machine')
    .addHelpText(
      'after',
      '\nWithout KAFKA_BROKERS, MONGODB_URL and REDIS_URL, the command starts local servers with ' +
        'their data in .postrider/. The first start creates a demo account and prints its keys and ' +
        'a sign-in link. Later starts print the command that creates another sign-in link. ' +
        'PORT (3000) and HOST (127.0.0.1) set the address to listen on.',
    )
    .option(
      '--accept-loss',
      'rebuild read models even if documents are lost, because the log has deleted their records',
    )
    .option('--small', 'run all roles in one process, which needs less memory')
    .action(({ acceptLoss = false, small: isSmall = false }: StartOptions) => start({ acceptLoss, isSmall }));
}

const publicUrlSetting = 'POSTRIDER_PUBLIC_URL';

async function start(options: Pick<ServiceOptions, 'acceptLoss' | 'isSmall'>): Promise<void> {
  const releasers = createReleasers(createLogger({ role: 'start', level: 'silent', isTerminal: false }));
  const stopped = stopRequested();
  const keys = createUnprintedKeys(print);
  const ending = new AbortController();
  try {
    const service = { ...options, onCreated: keys.keep, signal: ending.signal };
    const ready = await Promise.race([bringUp(releasers, service), stopped]);
    if (ready !== undefined) {
      print(ready);
      keys.noteThePrint();
      await stopped;
    }
    printStatus('Stopping …');
  } finally {
    ending.abort();
    keys.printNow();
    await releasers.releaseAll();
  }
}

type GivenOptions = Pick<ServiceOptions, 'acceptLoss' | 'isSmall' | 'onCreated' | 'signal'>;

async function bringUp(releasers: Releasers, options: GivenOptions): Promise<string> {
  const given = givenSettings(await readEnvironment());
  const hasConfiguredServers = namesServers(given);
  // The clients of Kafka and MongoDB are loaded while the servers start, because the loading takes half a second of CPU
  // time.
  const [environment, { runService }] = await Promise.all([
    localEnvironment(given, releasers),
    import('../start/runService.js'),
  ]);
  const config = loadConfig(environment);
  const service = { environment, config, hasConfiguredServers, ...options };
  const { address, account } = await runService(service, releasers);
  const publicUrl = config.http.publicUrl ?? address;
  if (!hasConfiguredServers) {
    await keepLocalSettings(localDirectory, { [publicUrlSetting]: publicUrl });
  }
  return readyText(publicUrl, account);
}

/** The settings of all roles: the given settings, and defaults for this machine. */
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
 * Resolves on the first Ctrl-C or SIGTERM. The second signal ends this process immediately, and the watchdog ends the
 * role processes.
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
