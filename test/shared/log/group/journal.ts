import { readFile, stat } from 'node:fs/promises';

export interface Journal {
  readonly begun: readonly string[];
  readonly done: ReadonlySet<string>;
}

/** The positions in a journal, as `partition/offset`, in the order of their beginning. */
export async function readJournal(file: string): Promise<Journal> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const positionsOf = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  return { begun: positionsOf('b '), done: new Set(positionsOf('d ')) };
}

/** The number of bytes in a journal. */
export async function journalSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}
