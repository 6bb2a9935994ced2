import type { Command } from 'commander';

import {
  readStackState,
  startStack,
  stopDetachedStack,
  type StackAddresses,
  type StackState,
} from '../../stack/stack.js';
import { readOperatorConfig, requireLocalStorage } from '../environment/environment.js';
import { localDirectory } from '../environment/localFolder.js';
import { keepLocalSettings } from '../environment/localSettings.js';
import { logOperatorCommand } from '../environment/operator.js';
import { endedServers, labelOf } from '../start/watchServers.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

interface StackCommandOptions {
  readonly json?: boolean;
}

export function addStackCommands(program: Command): void {
  const stack = program.command('stack');
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
    .description('show the addresses of the local servers, and which of them run')
    .option('--json', 'print JSON')
    .action(status);
}

async function up(options: StackCommandOptions): Promise<void> {
  requireLocalStorage();
  const config = await readOperatorConfig();
  const addresses = await completeStack();
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

/** Starts the servers, or those of them that have ended. Running servers keep their ports. */
async function completeStack(): Promise<StackAddresses> {
  const state = await readStackState(localDirectory);
  const ended = state === null ? [] : endedServers(state);
  if (state !== null && ended.length === 0) {
    printStatus('The local servers are already running.');
    return state.addresses;
  }
  if (ended.length > 0) {
    printStatus(`${labelOf(ended)} ended. Starting it again …`);
  }
  const started = await startStack({
    directory: localDirectory,
    lifetime: 'until-stopped',
    onProgress: printStatus,
  });
  return started.addresses;
}

async function status(options: StackCommandOptions): Promise<void> {
  const state = await readStackState(localDirectory);
  if (state === null) {
    throw new CommandFailure(
      'No local servers are running in this folder. Start them with: postrider stack up',
    );
  }
  print(options.json === true ? withStates(state) : describeStates(state));
  const ended = endedServers(state);
  if (ended.length > 0) {
    throw new CommandFailure(
      `${labelOf(ended)} ended. ` +
        (state.hasOwner
          ? 'postrider start is starting it again.'
          : 'Start it again with: postrider stack up'),
    );
  }
}

function describe(addresses: StackAddresses): string {
  return lines(addresses).join('\n');
}

function describeStates({ addresses, running }: StackState): string {
  const states = [running.kafka, running.mongodb, running.redis];
  return lines(addresses)
    .map((line, index) => `${line}  ${stateOf(states[index] === true)}`)
    .join('\n');
}

function lines({ kafka, mongodb, redis }: StackAddresses): readonly string[] {
  return [`Kafka    ${kafka.brokers.join(',')}`, `MongoDB  ${mongodb.url}`, `Redis    ${redis.url}`];
}

function withStates({ addresses: { kafka, mongodb, redis }, running }: StackState) {
  return {
    kafka: { ...kafka, state: stateOf(running.kafka) },
    mongodb: { ...mongodb, state: stateOf(running.mongodb) },
    redis: { ...redis, state: stateOf(running.redis) },
  };
}

function stateOf(isRunning: boolean): 'running' | 'ended' {
  return isRunning ? 'running' : 'ended';
}
