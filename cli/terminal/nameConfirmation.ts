import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CommandFailure } from './commandFailure.js';

/** A terminal that somebody sits at. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Has somebody type the name of what is about to be deleted: a yes is given too easily to what cannot be taken back.
 * @throws CommandFailure where nobody can answer, or the answer is another one
 */
export async function askForName(
  question: string,
  name: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (input.isTTY !== true) {
    throw new CommandFailure('It asks before it deletes. Where nobody can answer, say --yes.');
  }
  const terminal = createInterface({ input, output });
  try {
    if ((await terminal.question(`${question} `)).trim() !== name.trim()) {
      throw new CommandFailure('That is not its name: nothing was deleted.');
    }
  } finally {
    terminal.close();
  }
}
