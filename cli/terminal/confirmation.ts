import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CommandFailure } from './commandFailure.js';

/**
 * Asks on the terminal.
 * @param before what the command does where the answer is yes, for the line that says why it cannot ask
 * @throws CommandFailure where nobody can answer
 */
export async function confirmed(question: string, before: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(`It asks before it ${before}. Where nobody can answer, say --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
