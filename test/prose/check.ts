import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { sentencesOf, type Passage, type PassageKind } from './passage.js';
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
  /** The sentence, with placeholders for code. */
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

/** The findings of Vale in the prose of some sources, in the order of the sources and their lines. */
export async function checkProse(sources: readonly Source[], vale: string): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'prose-'));
  try {
    const extracted = sources.map((source) => ({
      source,
      sentences: passagesIn(source.path, source.text).flatMap(sentencesOf),
    }));
    const fileOf = (index: number): string => join(folder, `${index}.txt`);
    await Promise.all(
      extracted.map(({ sentences }, index) => writeFile(fileOf(index), valeInput(sentences), 'utf8')),
    );
    const alerts = await alertsIn(folder, vale);
    return extracted.flatMap(({ source, sentences }, index) =>
      (alerts[fileOf(index)] ?? [])
        .map((alert) => findingOf(source, sentences, alert))
        .sort((one, other) => one.line - other.line),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One paragraph for each sentence, in one line: so each place in it leads to its place in the source. */
function valeInput(sentences: readonly Passage[]): string {
  return sentences.map(({ text }) => `${text}\n\n`).join('');
}

async function alertsIn(folder: string, vale: string): Promise<Readonly<Record<string, readonly Alert[]>>> {
  const { stdout } = await runFile(
    vale,
    ['--config', configuration, '--no-global', '--no-exit', '--output', 'JSON', folder],
    { maxBuffer: largestReport },
  );
  return JSON.parse(stdout) as Record<string, readonly Alert[]>;
}

function findingOf(source: Source, sentences: readonly Passage[], alert: Alert): Finding {
  const sentence = sentences[(alert.Line - 1) / 2];
  const offset = sentence?.offsets[alert.Span[0] - 1];
  if (sentence === undefined || offset === undefined) {
    throw new Error(`${alert.Check} was found outside of the prose of ${source.path}`);
  }
  return {
    path: source.path,
    line: source.text.slice(0, offset).split('\n').length,
    kind: sentence.kind,
    rule: alert.Check.replace(/^.*\./u, ''),
    message: alert.Message,
    excerpt: sentence.text,
  };
}
