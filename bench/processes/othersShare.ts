import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

import { msPerTick } from './processUsage.js';

/**
 * Measures the CPU share of other programs, which make every figure worse.
 * @param ours reads the CPU time of all processes of the benchmark, in milliseconds
 * @returns a function that reads the share of other programs since this call, from 0 to 1
 */
export async function watchOthers(ours: () => Promise<number>): Promise<() => Promise<number>> {
  const beganAt = performance.now();
  const before = await readOthersCpuMs(ours);
  return async () => {
    const taken = (await readOthersCpuMs(ours)) - before;
    return Math.max(0, taken / ((performance.now() - beganAt) * cpus().length));
  };
}

async function readOthersCpuMs(ours: () => Promise<number>): Promise<number> {
  const [machine, oursMs] = await Promise.all([readFile('/proc/stat', 'utf8'), ours()]);
  return machineCpuMsOf(machine) - oursMs;
}

/**
 * proc(5) has all processors in its first line, in ticks: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are
 * charged to no process, so they are excluded. Stolen time counts as time of other programs.
 * @param stat the text of /proc/stat
 */
export function machineCpuMsOf(stat: string): number {
  const [line = ''] = stat.split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + steal) * msPerTick;
}
