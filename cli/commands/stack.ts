import type { Command } from 'commander';

import { readRunningStack, startStack, stopDetachedStack, type StackAddresses } from '../../stack/stack.js';
import {
  canStoreLocally,
  localDirectory,
  readOperatorConfig,
  requireLocalStorage,
} from '../environment/environment.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { keepLocalSettings } from '../environment/localSettings.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print, printStatus } from '../terminal/output.js';

interface StackCommandOptions {
  readonly json?: boolean;
}

export function addStackCommands(program: Command): void {
  const stack = program
    .command('stack', { hidden: !canStoreLocally() })
    .description('run only the local Kafka, MongoDB and Redis');
  stack
    .command('up')
    .description(
      'start the local servers, which run until "postrider stack down", and wait until they are ready',
    )
    .option('--json', 'print JSON')
    .action(up);
  stack.command('down').description('stop the local servers without deleting their data').action(down);
  stack
    .command('status')
    .description('show the addresses of the local servers')
    .option('--json', 'print JSON')
    .action(status);
}

async function up(options: StackCommandOptions): Promise<void> {
  requireLocalStorage();
  const config = await readOperatorConfig();
  const running = await readRunningStack(localDirectory);
  if (running !== null) {
    printStatus('The local servers are already running.');
  }
  const addresses = running ?? (await startDetached());
  await keepLocalSettings(localDirectory, {});
  logOperatorCommand(config, 'stack up', { directory: localDirectory });
  print(options.json === true ? addresses : describe(addresses));
}

async function down(): Promise<void> {
  const config = await readOperatorConfig();
  const hasStopped = await stopDetachedStack(localDirectory);
  logOperatorCommand(config, 'stack down', { directory: localDirectory });
  printStatus(
    hasStopped ? 'The local servers were stopped.' : 'No local servers are running in this folder.',
  );
}

async function startDetached(): Promise<StackAddresses> {
  const started = await startStack({
    directory: localDirectory,
    lifetime: 'until-stopped',
    onProgress: printStatus,
  });
  return started.addresses;
}

async function status(options: StackCommandOptions): Promise<void> {
  const addresses = await readRunningStack(localDirectory);
  if (addresses === null) {
    throw new CommandFailure(
      'No local servers are running in this folder. Start them with: postrider stack up',
    );
  }
  print(options.json === true ? addresses : describe(addresses));
}

function describe({ kafka, mongodb, redis }: StackAddresses): string {
  return [`Kafka    ${kafka.brokers.join(',')}`, `MongoDB  ${mongodb.url}`, `Redis    ${redis.url}`].join(
    '\n',
  );
}
