import process from 'node:process';

import { Command, CommanderError } from 'commander';

import { commandGroups, completion, type CommandModule } from './commandGroups.js';
import { CommandFailure } from './terminal/output.js';

/** Commands that handle signals themselves, because they finish their work before they end. */
const stopsInOrder: ReadonlySet<string> = new Set([
  ...['start', 'api', 'projections', 'delivery', 'all'],
  'listen',
]);

const failed = 1;
const wrongUsage = 2;

/**
 * Runs a command with its arguments until it ends.
 * @returns the exit code: 0 for success, 1 for a failure with one line on standard error, 2 for wrong usage
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let stopListening = (): void => undefined;
  if (!stopsInOrder.has(words[0] ?? '')) {
    // The handler stays, because the error of a last write follows the end of the command.
    process.stdout.off('error', endWithoutOutput).on('error', endWithoutOutput);
  }
  try {
    const program = (await createProgram(words)).hook('preAction', (_program, command) => {
      if (!stopsInOrder.has(command.name())) {
        stopListening = endOnSignals();
      }
    });
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return await exitCodeOf(error);
  } finally {
    stopListening();
  }
}

/**
 * The program with the one command that the words call, or with all for a completion, which is written to a file once.
 * Otherwise the other commands have only their names and descriptions, which the help shows, because their modules, with
 * the clients of Kafka and MongoDB, would take most of a second of CPU time.
 */
async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('postrider')
    .description('Record events in Kafka and deliver them to webhooks.')
    .showHelpAfterError('Run the command with --help to see its arguments.')
    .exitOverride();
  const called = calledCommand(words);
  for (const { heading, modules } of commandGroups) {
    program.commandsGroup(heading);
    for (const module of modules) {
      await addModule(program, module, called === completion || Object.hasOwn(module.commands, called));
    }
  }
  return program;
}

/** The name of the called command. Help may be asked for in front of it. */
function calledCommand(words: readonly string[]): string {
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

async function addModule(
  program: Command,
  { commands, isHidden, load }: CommandModule,
  isCalled: boolean,
): Promise<void> {
  if (isCalled) {
    (await load())(program);
    for (const command of program.commands.filter((one) => Object.hasOwn(commands, one.name()))) {
      command.description(commands[command.name()] ?? '');
    }
  } else {
    for (const [name, description] of Object.entries(commands)) {
      program.command(name, { hidden: isHidden?.() ?? false }).description(description);
    }
  }
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : wrongUsage;
  }
  process.stderr.write(`postrider: ${await messageFor(error)}\n`);
  return failed;
}

async function messageFor(error: unknown): Promise<string> {
  if (error instanceof CommandFailure) {
    return error.message;
  }
  // Only errors of the servers' clients need this module, whose settings take a tenth of a second to load.
  const { messageWithServer } = await import('../shared/settings/servers.js');
  return messageWithServer(error);
}

/** The exit codes of a process that a signal has ended: 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;

/** Ends this process if its output cannot be written, quietly if nobody reads it any more, as in `postrider … | head`. */
function endWithoutOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') {
    process.stderr.write(`postrider: The output cannot be written: ${message}\n`);
  }
  process.exit(code === 'EPIPE' ? exitCodes.SIGPIPE : failed);
}

/**
 * Ends this process on SIGINT and SIGTERM. Linux ignores both signals for the first process of a container unless the
 * process handles them.
 * @returns a function that removes the handlers
 */
function endOnSignals(): () => void {
  const onSignal = (signal: keyof typeof exitCodes) => process.exit(exitCodes[signal]);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
