import process from 'node:process';

import { Command, CommanderError } from 'commander';

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

type AddCommands = (program: Command) => void;

/** The commands that one module adds to the program. */
interface CommandGroup {
  readonly names: readonly string[];
  readonly load: () => Promise<AddCommands>;
}

/** The command that needs all other commands. */
const completion = 'completion';

const developerCommands: readonly CommandGroup[] = [
  { names: ['listen'], load: async () => (await import('./commands/listen.js')).addListenCommand },
  { names: ['trigger'], load: async () => (await import('./commands/trigger.js')).addTriggerCommand },
  { names: ['events'], load: async () => (await import('./commands/events.js')).addEventCommands },
  { names: ['webhooks'], load: async () => (await import('./commands/webhooks.js')).addWebhookCommands },
  { names: ['replays'], load: async () => (await import('./commands/replays.js')).addReplayCommands },
  {
    names: ['verify', 'sign'],
    load: async () => (await import('./commands/signatures.js')).addSignatureCommands,
  },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.js')).addDoctorCommand },
  { names: ['login'], load: async () => (await import('./commands/login.js')).addLoginCommand },
  { names: [completion], load: async () => (await import('./commands/completion.js')).addCompletionCommand },
];

const operatorCommands: readonly CommandGroup[] = [
  { names: ['start'], load: async () => (await import('./commands/start.js')).addStartCommand },
  { names: ['reset'], load: async () => (await import('./commands/reset.js')).addResetCommand },
  { names: ['stack'], load: async () => (await import('./commands/stack.js')).addStackCommands },
  {
    names: ['api', 'projections', 'delivery', 'all'],
    load: async () => (await import('./commands/roles.js')).addRoleCommands,
  },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.js')).addMigrateCommand },
  { names: ['account'], load: async () => (await import('./commands/account.js')).addAccountCommands },
  { names: ['tenants'], load: async () => (await import('./commands/tenants.js')).addTenantCommands },
  { names: ['rebuild'], load: async () => (await import('./commands/rebuild.js')).addRebuildCommand },
  { names: ['offsets'], load: async () => (await import('./commands/offsets.js')).addOffsetsCommands },
  { names: ['secrets'], load: async () => (await import('./commands/secrets.js')).addSecretsCommands },
  { names: ['dlq'], load: async () => (await import('./commands/dlq.js')).addDlqCommands },
  { names: ['lag'], load: async () => (await import('./commands/lag.js')).addLagCommand },
];

/**
 * The groups of commands below their headings in the help. The module of a command is loaded on demand. Loading all
 * modules, with the clients of Kafka and MongoDB, would take most of a second of CPU time.
 */
const commandGroups = [
  ['Commands for developers, which need only an API key:', developerCommands],
  ['Commands for operators, which use the servers of the service:', operatorCommands],
] as const;

/**
 * The program with the one command that the words call. For help, completion or an unknown command, the program has all
 * commands.
 */
async function createProgram([first = '']: readonly string[]): Promise<Command> {
  const program = new Command('postrider')
    .description('Record events in Kafka and deliver them to webhooks.')
    .showHelpAfterError('Run the command with --help to see its arguments.')
    .exitOverride();
  const groups = commandGroups.flatMap(([heading, modules]) =>
    modules.map((module) => ({ heading, ...module })),
  );
  const called = first === completion ? groups : groups.filter(({ names }) => names.includes(first));
  for (const { heading, load } of called.length > 0 ? called : groups) {
    (await load())(program.commandsGroup(heading));
  }
  return program;
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
