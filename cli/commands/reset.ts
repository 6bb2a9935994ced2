import { rm } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import type { Command } from 'commander';

import { readRunningStack, stopDetachedStack } from '../../stack/stack.js';
import { localDirectory } from '../environment.js';
import { CommandFailure } from '../failure.js';
import { tell } from '../output.js';

export function addResetCommand(program: Command): void {
  program
    .command('reset')
    .description('stop the local servers and delete all that "start" keeps in .postrider/')
    .option('--yes', 'do not ask')
    .action(async (options: { yes?: boolean }) => {
      if (options.yes !== true && !(await confirmed())) {
        throw new CommandFailure('Nothing was deleted.');
      }
      await stopDetachedStack(localDirectory);
      if ((await readRunningStack(localDirectory)) !== null) {
        throw new CommandFailure('"postrider start" runs here: stop it with Ctrl-C first.');
      }
      await rm(localDirectory, { recursive: true, force: true });
      tell('All local data is deleted.');
    });
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure('It asks before it deletes. Where nobody can answer, say --yes.');
  }
  const question = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await question.question('Delete all events, webhooks and accounts of this folder? [y/N] ');
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    question.close();
  }
}
