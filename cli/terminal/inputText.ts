import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';

import { messageOf } from '../../shared/core/errors.js';
import { CommandFailure } from './output.js';

/**
 * The text of an option: the text itself, that of a file (`@FILE`) or of standard input (`@-`). A file keeps credentials
 * out of the history of the shell.
 * @param option the option for the error message, such as `--data`
 * @throws CommandFailure if the file cannot be read
 */
export async function inputText(given: string, option: string): Promise<Buffer> {
  if (!given.startsWith('@')) {
    return Buffer.from(given);
  }
  const file = given.slice(1);
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new CommandFailure(`The file of ${option} cannot be read: ${messageOf(error)}`);
  }
}
