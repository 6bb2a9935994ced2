import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CommandFailure } from './commandFailure.js';

/**
 * Asks a yes-or-no question on the terminal.
 * @param action the action to confirm, as a noun for the error message: `deletion`
 * @throws CommandFailure in a non-interactive shell
 */
export async function confirmed(question: string, action: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      `The command requires confirmation before ${action}. In a non-interactive shell, pass --yes.`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
