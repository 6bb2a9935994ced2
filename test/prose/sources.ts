import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { stylesheetPassages } from './extract/comments.js';
import { linesOf, markedPassages } from './extract/marked.js';
import { programPassages } from './extract/program.js';
import type { Passage } from './passage.js';

const documents = /^(?:README\.md|docs\/.+\.md|(?:.+\/)?README\.md)$/u;
const programs = /\.(?:ts|tsx|js|mjs)$/u;

/** Its tests contain the sentences that the check rejects. */
const exceptions = /^test\/prose\/.+\.(?:test|vale)\.ts$/u;

/** The files with prose below some paths of the project, or all of them. Files that git ignores are left out. */
export async function sourcesIn(paths: readonly string[]): Promise<readonly string[]> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...paths];
  const { stdout } = await promisify(execFile)('git', listing, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\0').filter((path) => isSource(path));
}

function isSource(path: string): boolean {
  return (documents.test(path) || programs.test(path) || path.endsWith('.css')) && !exceptions.test(path);
}

/** The prose of a file, by the kind of the file. */
export function passagesIn(path: string, source: string): readonly Passage[] {
  if (programs.test(path)) {
    return programPassages(path, source);
  }
  return path.endsWith('.css')
    ? stylesheetPassages(source)
    : markedPassages(source, linesOf(source, { start: 0, end: source.length }), 'document');
}
