import process from 'node:process';

import { Command, CommanderError } from 'commander';

import { messageWithServer } from '../shared/settings/servers.js';
import { addAccountCommands } from './commands/account.js';
import { addDlqCommands } from './commands/dlq.js';
import { addLagCommand } from './commands/lag.js';
import { addMigrateCommand } from './commands/migrate.js';
import { addOffsetsCommands } from './commands/offsets.js';
import { addRebuildCommand } from './commands/rebuild.js';
import { addResetCommand } from './commands/reset.js';
import { addRoleCommands } from './commands/roles.js';
import { addSecretsCommands } from './commands/secrets.js';
import { addStackCommands } from './commands/stack.js';
import { addStartCommand } from './commands/start.js';
import { endOnSignals } from './terminal/stopSignals.js';

/** Commands that handle signals themselves, because they finish their work before they end. */
const stopsInOrder: ReadonlySet<string> = new Set(['start', 'api', 'projections', 'delivery']);

const failed = 1;
const wrongUsage = 2;

/**
 * Runs a command with its arguments until it ends.
 * @returns the exit code: 0 for success, 1 for a failure with one line on standard error, 2 for wrong usage
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let stopListening = (): void => undefined;
  const program = createProgram().hook('preAction', (_program, command) => {
    if (!stopsInOrder.has(command.name())) {
      stopListening = endOnSignals();
    }
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  } finally {
    stopListening();
  }
}

function createProgram(): Command {
  const program = new Command('postrider')
    .description('Records events in Kafka and delivers them to webhooks.')
    .showHelpAfterError('Run the command with --help to see its arguments.')
    .exitOverride();
  addStartCommand(program);
  addResetCommand(program);
  addStackCommands(program);
  addRoleCommands(program);
  addMigrateCommand(program);
  addAccountCommands(program);
  addRebuildCommand(program);
  addOffsetsCommands(program);
  addSecretsCommands(program);
  addDlqCommands(program);
  addLagCommand(program);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : wrongUsage;
  }
  process.stderr.write(`postrider: ${messageWithServer(error)}\n`);
  return failed;
}
