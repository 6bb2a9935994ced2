import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';

import type { Command } from 'commander';

import { createLogger } from '../../shared/core/logger.js';
import { createReleasers, type Releasers } from '../../shared/runtime/lifecycle.js';
import { givenSettings, loadConfig } from '../../shared/settings/config.js';
import { readStackState, startStack, type ServerName, type StackAddresses } from '../../stack/stack.js';
import {
  localServers,
  readEnvironment,
  requireLocalStorage,
  type Environment,
} from '../environment/environment.js';
import { localDirectory, namesServers } from '../environment/localFolder.js';
import { keepLocalSettings } from '../environment/localSettings.js';
import type { ServiceOptions } from '../start/runService.js';
import { developmentDefaults, withStartDefaults } from '../start/startDefaults.js';
import { readyText, createUnprintedKeys } from '../start/startOutput.js';
import { endedServers, labelOf, watchServers, type WatchedServers } from '../start/watchServers.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

interface StartOptions {
  readonly acceptLoss?: boolean;
  readonly small?: boolean;
}

export function addStartCommand(program: Command): void {
  program
    .command('start')
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
  const bringing = bringUp(releasers, { ...options, onCreated: keys.keep, signal: ending.signal });
  try {
    const ready = await Promise.race([bringing, stopped]);
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
    await endOf(bringing);
    // A step that was in progress may have opened a resource.
    await releasers.releaseAll();
  }
}

/** The longest wait for a step of the start that is in progress at Ctrl-C, such as a download. */
const stepLimitMs = 4000;

/**
 * Waits until the start has noticed that it was stopped. If a step takes too long, this process ends, and the watchdog ends
 * the processes that it has started.
 */
async function endOf(bringing: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => process.exit(), stepLimitMs);
  await bringing.catch(() => undefined);
  clearTimeout(timer);
}

type GivenOptions = Pick<ServiceOptions, 'acceptLoss' | 'isSmall' | 'onCreated' | 'signal'>;

async function bringUp(releasers: Releasers, options: GivenOptions): Promise<string> {
  const given = givenSettings(await readEnvironment());
  const hasConfiguredServers = namesServers(given);
  // The clients of Kafka and MongoDB are loaded while the servers start, because the loading takes half a second of CPU
  // time.
  const [{ environment, hasServerEnded }, { runService }] = await Promise.all([
    localEnvironment(given, releasers, options.signal),
    import('../start/runService.js'),
  ]);
  options.signal.throwIfAborted();
  const config = loadConfig(environment);
  const service = { environment, config, hasConfiguredServers, hasServerEnded, ...options };
  const { address, account } = await runService(service, releasers);
  const publicUrl = config.http.publicUrl ?? address;
  if (!hasConfiguredServers) {
    await keepLocalSettings(localDirectory, { [publicUrlSetting]: publicUrl });
  }
  return readyText(publicUrl, account);
}

interface StartEnvironment extends Pick<ServiceOptions, 'hasServerEnded'> {
  /** The settings of all roles: the given settings, and defaults for this machine. */
  readonly environment: Environment;
}

async function localEnvironment(
  given: Environment,
  releasers: Releasers,
  signal: AbortSignal,
): Promise<StartEnvironment> {
  if (namesServers(given)) {
    return {
      environment: withStartDefaults(given, 'configured servers'),
      hasServerEnded: () => Promise.resolve(false),
    };
  }
  requireLocalStorage();
  const { addresses, ended, restart, hasServerEnded } = await localStack(releasers, signal);
  const watched = watchServers({ ended, restart, report: printStatus }, signal);
  releasers.add('watch of the local servers', () => watched);
  // The public URL of an earlier start is only for commands that run next to that start.
  const { [publicUrlSetting]: _, ...kept } = await keepLocalSettings(localDirectory, {
    POSTRIDER_ALLOW_HTTP: given['POSTRIDER_ALLOW_HTTP'] ?? developmentDefaults.POSTRIDER_ALLOW_HTTP,
    POSTRIDER_ALLOW_PRIVATE_ADDRESSES:
      given['POSTRIDER_ALLOW_PRIVATE_ADDRESSES'] ?? developmentDefaults.POSTRIDER_ALLOW_PRIVATE_ADDRESSES,
  });
  return {
    environment: withStartDefaults({ ...kept, ...localServers(addresses), ...given }, 'local stack'),
    hasServerEnded,
  };
}

interface LocalStack
  extends Pick<WatchedServers, 'ended' | 'restart'>, Pick<ServiceOptions, 'hasServerEnded'> {
  readonly addresses: StackAddresses;
}

/** The servers that `stack up` or another start runs in this folder, or else servers of this process. */
async function localStack(releasers: Releasers, signal: AbortSignal): Promise<LocalStack> {
  const state = await readStackState(localDirectory);
  if (state === null) {
    return ownStack(releasers, signal);
  }
  if (state.hasOwner) {
    return { addresses: state.addresses, ...restartedByOwner };
  }
  const addresses = endedServers(state).length > 0 ? await startDetached() : state.addresses;
  return { addresses, ...detachedServers(addresses) };
}

const hasServerEnded = async () => {
  const state = await readStackState(localDirectory);
  return state === null || endedServers(state).length > 0;
};

const restartedByOwner = {
  hasServerEnded,
  ended: () => Promise.resolve(null),
  restart: () => Promise.resolve(),
};

async function ownStack(releasers: Releasers, signal: AbortSignal): Promise<LocalStack> {
  printStatus('Starting Kafka, MongoDB and Redis …');
  const stack = await startStack({
    directory: localDirectory,
    givenUp: signal,
    onProgress: printStatus,
  });
  releasers.add('local servers', stack.stop);
  return {
    addresses: stack.addresses,
    ended: async () => labelOrNull(await stack.ended()),
    restart: stack.restartEnded,
    hasServerEnded: async () => (await stack.ended()).length > 0,
  };
}

/** The servers of `stack up`, until `stack down` stops them. */
function detachedServers(addresses: StackAddresses): Omit<LocalStack, 'addresses'> {
  let isNoted = false;
  return {
    hasServerEnded,
    ended: async () => {
      const state = await readStackState(localDirectory);
      if (state !== null) {
        return labelOrNull(endedServers(state));
      }
      if (!isNoted) {
        isNoted = true;
        printStatus('No local server runs any more. Stop "postrider start", and start it again.');
      }
      return null;
    },
    restart: async () => {
      if (!isDeepStrictEqual(await startDetached(), addresses)) {
        throw new CommandFailure(
          'A local server has a new address. Stop "postrider start", and start it again.',
        );
      }
    },
  };
}

async function startDetached(): Promise<StackAddresses> {
  const stack = await startStack({
    directory: localDirectory,
    lifetime: 'until-stopped',
    onProgress: printStatus,
  });
  return stack.addresses;
}

function labelOrNull(names: readonly ServerName[]): string | null {
  return names.length === 0 ? null : labelOf(names);
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
