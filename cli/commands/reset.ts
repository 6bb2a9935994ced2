import { rm } from 'node:fs/promises';

import type { Command } from 'commander';

import { readStackState, stopDetachedStack } from '../../stack/stack.js';
import { readOperatorConfig } from '../environment/environment.js';
import { localDirectory } from '../environment/localFolder.js';
import { logOperatorCommand } from '../environment/operator.js';
import { confirmed } from '../terminal/confirmation.js';
import { CommandFailure, printStatus } from '../terminal/output.js';

const question = 'Delete all events, webhooks and accounts in this folder?';

export function addResetCommand(program: Command): void {
  program
    .command('reset')
    .option('--yes', 'skip the confirmation')
    .action(async (options: { yes?: boolean }) => {
      const config = await readOperatorConfig();
      if (options.yes !== true && !(await confirmed(question, 'deletion'))) {
        throw new CommandFailure('No data was deleted.');
      }
      await stopDetachedStack(localDirectory);
      if ((await readStackState(localDirectory)) !== null) {
        throw new CommandFailure(
          '"postrider start" is running in this folder. Stop "postrider start" with Ctrl-C first.',
        );
      }
      logOperatorCommand(config, 'reset', { directory: localDirectory });
      await rm(localDirectory, { recursive: true, force: true });
      printStatus('All local data was deleted.');
    });
}
