import { setTimeout as pause } from 'node:timers/promises';

import { summarizeLatencies } from '../measure/latencies.js';
import { readUsage } from '../processes/processUsage.js';
import { median } from '../results/spread.js';
import type { Figure } from '../results/result.js';
import type { Disturbance } from '../neighbours/disturbance.js';
import type { ScenarioContext } from './scenario.js';

export interface PairedReads {
  readonly figures: readonly Figure[];
  /** The most memory that the API had, above its memory before the first disturbance, in MB. */
  readonly addedMemory: number;
}

export const pairedNames = {
  alone: 'p99 of reads, alone',
  disturbed: 'p99 of reads, next to the other account',
  ratio: 'p99 of reads next to the other account / alone',
  failed: 'reads that were not answered with 200',
} as const;

const perSecond = 60;
const rounds = 3;
const aloneSeconds = 25;
const disturbedSeconds = 40;
const restMs = 15_000;
const settleMs = 3000;
const quickFraction = 1 / 25;
const sampleMs = 100;
const bytesPerMegabyte = 1e6;

/** What one phase of reads has shown. */
interface Phase {
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
  readonly cpuShare: number;
}

/**
 * Reads an event of the measured account, alone and next to a disturbance in turn. Its figures are medians of the phases: what other
 * programs do to one phase has less weight so.
 */
export async function readNextTo(
  context: ScenarioContext,
  url: string,
  disturb: () => Disturbance | Promise<Disturbance>,
): Promise<PairedReads> {
  const fraction = context.quick ? quickFraction : 1;
  const api = context.pipeline.processes.get('api')?.pid ?? 0;
  const memory = watchMemory(api);
  const phase = async (seconds: number): Promise<Phase> => {
    const [before, beganAt] = [await readUsage(api), performance.now()];
    const { latenciesMs, answers } = await context.read(
      url,
      Math.ceil(seconds * fraction * perSecond),
      perSecond,
    );
    const cpuMs = (await readUsage(api)).cpuMs - before.cpuMs;
    const answered = Object.values(answers).reduce((sum, count) => sum + count, 0);
    return {
      ...summarizeLatencies(latenciesMs),
      failed: answered - (answers['200'] ?? 0),
      cpuShare: cpuMs / (performance.now() - beganAt),
    };
  };

  await pause(restMs * fraction);
  const idle = await memory.restart();
  const [alone, disturbed]: [Phase[], Phase[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await phase(aloneSeconds));
    const disturbance = await disturb();
    disturbed.push(await phase(disturbedSeconds));
    await disturbance.stop();
    await pause(settleMs * fraction);
  }
  const peak = memory.stop();
  return {
    addedMemory: (peak - idle) / bytesPerMegabyte,
    figures: [
      ...figuresOf(alone, disturbed),
      { name: 'memory of the API, idle', unit: 'MB', value: idle / bytesPerMegabyte },
    ],
  };
}

function figuresOf(alone: readonly Phase[], disturbed: readonly Phase[]): readonly Figure[] {
  const middle = (phases: readonly Phase[], of: (phase: Phase) => number) => median(phases.map(of)) ?? NaN;
  const p99 = (phases: readonly Phase[]) => middle(phases, (phase) => phase.p99);
  const p50 = (phases: readonly Phase[]) => middle(phases, (phase) => phase.p50);
  const cpu = (phases: readonly Phase[]) => middle(phases, (phase) => phase.cpuShare) * 100;
  return [
    { name: 'p50 of reads, alone', unit: 'ms', value: p50(alone) },
    { name: pairedNames.alone, unit: 'ms', value: p99(alone) },
    { name: 'p50 of reads, next to the other account', unit: 'ms', value: p50(disturbed) },
    { name: pairedNames.disturbed, unit: 'ms', value: p99(disturbed) },
    ...disturbed.map(({ p99: value }, index) => ({
      name: `  in phase ${index + 1}`,
      unit: 'ms' as const,
      value,
    })),
    { name: pairedNames.ratio, unit: '×', value: p99(disturbed) / p99(alone) },
    {
      name: pairedNames.failed,
      unit: 'requests',
      value: [...alone, ...disturbed].reduce((sum, { failed }) => sum + failed, 0),
    },
    { name: 'CPU of the API, alone', unit: '% of a core', value: cpu(alone) },
    { name: 'CPU of the API, next to the other account', unit: '% of a core', value: cpu(disturbed) },
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
      return peak;
    },
  };
}
