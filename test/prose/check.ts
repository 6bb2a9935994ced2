import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import type { Passage, PassageKind } from './passage.js';
import { passagesIn } from './sources.js';

export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  /** The line of the source, counted from 1. */
  readonly line: number;
  readonly kind: PassageKind;
  readonly rule: string;
  readonly message: string;
  /** The passage around what the rule has found. */
  readonly excerpt: string;
}

/** One entry of a report of Vale. */
interface Alert {
  readonly Check: string;
  readonly Line: number;
  readonly Message: string;
  /** Columns, counted from 1. */
  readonly Span: readonly [first: number, last: number];
}

const runFile = promisify(execFile);
const configuration = resolve(import.meta.dirname, 'vale.ini');
/** In bytes. */
const largestReport = 256 * 1024 * 1024;
/** In characters, before and after the place of a finding. */
const excerptLengths = { before: 40, after: 80 };

/** The findings of Vale in the prose of some sources, in the order of the sources and their lines. */
export async function checkProse(sources: readonly Source[], vale: string): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prose-'));
  try {
    const extracted = sources.map((source) => ({ source, passages: passagesIn(source.path, source.text) }));
    const fileOf = (index: number): string => join(folder, `${index}.txt`);
    await Promise.all(
      extracted.map(({ passages }, index) => writeFile(fileOf(index), valeInput(passages), 'utf8')),
    );
    const alerts = await alertsIn(folder, vale);
    return extracted.flatMap(({ source, passages }, index) =>
      (alerts[fileOf(index)] ?? [])
        .map((alert) => findingOf(source, passages, alert))
        .sort((one, other) => one.line - other.line),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One paragraph for each passage, in one line: so each place in it leads to its place in the source. */
function valeInput(passages: readonly Passage[]): string {
  return passages.map(({ text }) => `${text}\n\n`).join('');
}

async function alertsIn(folder: string, vale: string): Promise<Readonly<Record<string, readonly Alert[]>>> {
  const { stdout } = await runFile(
    vale,
    ['--config', configuration, '--no-global', '--no-exit', '--output', 'JSON', folder],
    { maxBuffer: largestReport },
  );
  return JSON.parse(stdout) as Record<string, readonly Alert[]>;
}

function findingOf(source: Source, passages: readonly Passage[], alert: Alert): Finding {
  const passage = passages[(alert.Line - 1) / 2];
  const column = alert.Span[0] - 1;
  const offset = passage?.offsets[column];
  if (passage === undefined || offset === undefined) {
    throw new Error(`${alert.Check} was found outside of the prose of ${source.path}`);
  }
  return {
    path: source.path,
    line: source.text.slice(0, offset).split('\n').length,
    kind: passage.kind,
    rule: alert.Check.replace(/^.*\./u, ''),
    message: alert.Message,
    excerpt: passage.text
      .slice(Math.max(0, column - excerptLengths.before), column + excerptLengths.after)
      .trim(),
  };
}
