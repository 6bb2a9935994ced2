import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CommandFailure } from './output.js';

/**
 * Asks a yes-or-no question on the terminal.
 * @param action the action to confirm, as a noun for the error message, such as `deletion`
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

/** An interactive terminal (TTY). */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks the user to type the name of the resource to delete. A deletion cannot be undone, and "yes" is typed too easily.
 * @throws CommandFailure in a non-interactive shell, or if the answer differs from the name
 */
export async function askForName(
  question: string,
  name: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (input.isTTY !== true) {
    throw new CommandFailure('Deletion requires confirmation. In a non-interactive shell, pass --yes.');
  }
  const terminal = createInterface({ input, output });
  try {
    if ((await terminal.question(`${question} `)).trim() !== name.trim()) {
      throw new CommandFailure('The name does not match. No data was deleted.');
    }
  } finally {
    terminal.close();
  }
}
