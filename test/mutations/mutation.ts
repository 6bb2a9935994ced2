import { readFile } from 'node:fs/promises';

import type { Change } from './changes.js';
import { declarationOf, parse } from './syntax.js';

/** A way to break the code on purpose, and the test that must notice. */
export interface Mutation {
  readonly file: string;
  /** The path of the broken function, constant or property: `createRunReplay.nextPage`. */
  readonly function: string;
  readonly change: Change;
  /** The test file that must fail. */
  readonly test: string;
}

/** The text of a file before and after a mutation of it. Throws if the mutation no longer fits the file. */
export async function mutate(
  { file, function: path, change }: Mutation,
  directory = '.',
): Promise<{ readonly text: string; readonly mutated: string }> {
  const text = await readFile(`${directory}/${file}`, 'utf8');
  const { start, end, text: replacement } = change(declarationOf(parse(file, text), path));
  return { text, mutated: text.slice(0, start) + replacement + text.slice(end) };
}
