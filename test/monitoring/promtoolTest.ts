import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { stringify } from 'yaml';

import { formatSamples, parseRecording, type Recording, type Sample } from './recording.js';

const run = promisify(execFile);

export const rulesFile = resolve('docs/monitoring/alerts.yml');

export async function readRecording(name: string): Promise<Recording> {
  return parseRecording(await readFile(new URL(`recorded/${name}.txt`, import.meta.url), 'utf8'));
}

/** The transformation of a recording into the input of a test. */
export interface Playback {
  /** The time for which the last state continues after the recording, in minutes. */
  readonly continuedMinutes?: number;
  /** The interval of two samples, which can slow down the recording. By default the recorded interval. */
  readonly intervalSeconds?: number;
}

/** The expected result of a query at the end of the playback. */
export interface Expectation {
  readonly expression: string;
  readonly samples: readonly { readonly labels: string; readonly value: number }[];
}

const evaluationSeconds = 15;

/**
 * Evaluates the rules over a recording with promtool, and compares the result of a query at its end.
 * @throws Error with promtool's report if the result differs
 */
export async function checkRules(
  { intervalSeconds: recordedSeconds, series }: Recording,
  { continuedMinutes = 0, intervalSeconds = recordedSeconds }: Playback,
  { expression, samples }: Expectation,
): Promise<void> {
  const continued = Math.ceil((continuedMinutes * 60) / intervalSeconds);
  const length = Math.max(...[...series.values()].map((values) => values.length));
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: `${String(Math.max(evaluationSeconds, intervalSeconds))}s`,
    tests: [
      {
        interval: `${String(intervalSeconds)}s`,
        input_series: [...series].map(([name, values]) => ({
          series: name,
          values:
            `${formatSamples(values)} ${continuation(name, values, { continued, intervalSeconds })}`.trim(),
        })),
        promql_expr_test: [
          {
            expr: expression,
            eval_time: `${String((length - 1 + continued) * intervalSeconds)}s`,
            exp_samples: samples,
          },
        ],
      },
    ],
  };
  const folder = await mkdtemp(join(tmpdir(), 'postrider-rules-'));
  try {
    const file = join(folder, 'test.yml');
    await writeFile(file, stringify(test));
    await run(await promtool(), ['test', 'rules', file]).catch((error: unknown) => {
      throw new Error(`promtool: ${reportOf(error)}`);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The path of promtool, which `npm run check:alerts` has built. */
async function promtool(): Promise<string> {
  const { stdout } = await run(resolve('test/monitoring/promtool'));
  return stdout.trim();
}

function reportOf(error: unknown): string {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  return `${stdout}${stderr}`;
}

/** The number of last steps that determine the increase of a counter: 30 s. */
const countedSteps = 6;
const counter = /^\w+_(total|count|sum|bucket)\{/;
const age = /^\w+_seconds\{/;

/**
 * The samples after the recording. A counter increases as in the last steps, a growing age continues to grow, and other values are
 * constant.
 */
function continuation(
  name: string,
  values: readonly Sample[],
  { continued, intervalSeconds }: { readonly continued: number; readonly intervalSeconds: number },
): string {
  const last = values.at(-1) ?? null;
  if (continued === 0 || last === null) {
    return '';
  }
  const step = counter.test(name)
    ? increaseOf(values)
    : growsOn(name, values, intervalSeconds)
      ? intervalSeconds
      : 0;
  return `${String(last + step)}+${String(step)}x${String(continued - 1)}`;
}

/** The mean increase of the last steps. */
function increaseOf(values: readonly Sample[]): number {
  const counted = values.slice(-1 - countedSteps).filter((value) => value !== null);
  const [first = 0] = counted;
  return ((counted.at(-1) ?? first) - first) / Math.max(1, counted.length - 1);
}

/** An age grows by the time that passes. */
function growsOn(name: string, values: readonly Sample[], intervalSeconds: number): boolean {
  const [first = 0, second = 0, third = 0] = values.slice(-3).map((value) => value ?? 0);
  return age.test(name) && Math.min(second - first, third - second) > intervalSeconds / 2;
}
