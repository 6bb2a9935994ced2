import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

import { msPerTick } from './processUsage.js';

/**
 * Begins to watch what other programs take of the machine: they make every figure worse, and not for each pipeline alike.
 * @param ours what all processes that belong to the measurement have used so far, in milliseconds of processor time
 * @returns what tells their share of all processors since then, from 0 to 1
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
 * proc(5): the first line is of all processors, in ticks: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are
 * charged to no process, so they are left out; what the host has stolen is another's.
 * @param stat the text of /proc/stat
 */
export function machineCpuMsOf(stat: string): number {
  const [line = ''] = stat.split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + steal) * msPerTick;
}
