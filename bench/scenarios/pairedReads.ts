import { setTimeout as pause } from 'node:timers/promises';

import { summarizeLatencies } from '../measure/latencies.js';
import { readUsage } from '../processes/processUsage.js';
import type { Figure } from '../results/result.js';
import type { Disturbance } from '../neighbors/disturbance.js';
import type { ScenarioContext } from './scenario.js';

export interface PairedReads {
  readonly figures: readonly Figure[];
  /** By round: the most memory that the API had, above its memory before the first disturbance, in MB. */
  readonly addedMemory: readonly number[];
}

export const pairedNames = {
  alone: 'p99 of reads, alone',
  disturbed: 'p99 of reads, next to the other account',
  ratio: 'p99 of reads next to the other account / alone',
  failed: 'reads that were not answered with 200',
} as const;

const perSecond = 60;
const rounds = 8;
const aloneSeconds = 8;
const disturbedSeconds = 10;
const restMs = 15_000;
const settleMs = 3000;
const quickFraction = 1 / 25;
const sampleMs = 100;
const bytesPerMegabyte = 1e6;

/** The result of one phase of reads. */
export interface Phase {
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
  readonly cpuShare: number;
}

/** Reads an event of the measured account for some seconds. */
export async function readPhase(context: ScenarioContext, url: string, seconds: number): Promise<Phase> {
  const api = context.pipeline.processes.get('api')?.pid ?? 0;
  const [before, beganAt] = [await readUsage(api), performance.now()];
  const count = Math.ceil(seconds * fractionOf(context) * perSecond);
  const { latenciesMs, answers } = await context.read(url, count, perSecond);
  const cpuMs = (await readUsage(api)).cpuMs - before.cpuMs;
  const answered = Object.values(answers).reduce((sum, one) => sum + one, 0);
  return {
    ...summarizeLatencies(latenciesMs),
    failed: answered - (answers['200'] ?? 0),
    cpuShare: cpuMs / (performance.now() - beganAt),
  };
}

/** Waits for the end of what a disturbance has caused. */
export function settle(context: ScenarioContext): Promise<void> {
  return pause(settleMs * fractionOf(context));
}

/** Waits for the end of the work before the measurement. */
export function rest(context: ScenarioContext): Promise<void> {
  return pause(restMs * fractionOf(context));
}

function fractionOf({ quick }: ScenarioContext): number {
  return quick ? quickFraction : 1;
}

/**
 * Reads an event of the measured account, alone and next to a disturbance in turn. Every figure occurs once for each round.
 */
export async function readNextTo(
  context: ScenarioContext,
  url: string,
  disturb: () => Disturbance | Promise<Disturbance>,
): Promise<PairedReads> {
  const api = context.pipeline.processes.get('api')?.pid ?? 0;
  const memory = watchMemory(api);
  const phase = (seconds: number) => readPhase(context, url, seconds);

  await rest(context);
  const idle = await memory.restart();
  const figures: (readonly Figure[])[] = [];
  const addedMemory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await phase(aloneSeconds);
    await memory.restart();
    const disturbance = await disturb();
    figures.push(figuresOf(alone, await phase(disturbedSeconds)));
    await disturbance.stop();
    await settle(context);
    addedMemory.push((memory.peak() - idle) / bytesPerMegabyte);
  }
  memory.stop();
  return {
    addedMemory,
    figures: [
      ...figures.flat(),
      { name: 'memory of the API, idle', unit: 'MB', value: idle / bytesPerMegabyte },
    ],
  };
}

function figuresOf(alone: Phase, disturbed: Phase): readonly Figure[] {
  return [
    { name: 'p50 of reads, alone', unit: 'ms', value: alone.p50 },
    { name: pairedNames.alone, unit: 'ms', value: alone.p99 },
    { name: 'p50 of reads, next to the other account', unit: 'ms', value: disturbed.p50 },
    { name: pairedNames.disturbed, unit: 'ms', value: disturbed.p99 },
    { name: pairedNames.ratio, unit: '×', value: disturbed.p99 / alone.p99 },
    { name: pairedNames.failed, unit: 'requests', value: alone.failed + disturbed.failed },
    { name: 'CPU of the API, alone', unit: '% of a core', value: alone.cpuShare * 100 },
    {
      name: 'CPU of the API, next to the other account',
      unit: '% of a core',
      value: disturbed.cpuShare * 100,
    },
  ];
}

/** The largest memory of a process since the last restart, from samples. */
function watchMemory(pid: number) {
  let peak = 0;
  const sample = async () => {
    const { memoryBytes } = await readUsage(pid);
    peak = Math.max(peak, memoryBytes);
    return memoryBytes;
  };
  const timer = setInterval(() => void sample().catch(() => 0), sampleMs);
  return {
    restart: async () => {
      peak = 0;
      return sample();
    },
    stop: () => {
      clearInterval(timer);
    },
    peak: () => peak,
  };
}
