import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

import { statField } from '../../shared/runtime/processStat.js';
import { msPerTick } from './processUsage.js';

/** The processes of the benchmark that run now. */
export interface OwnProcesses {
  readonly pids: ReadonlySet<number>;
  /** The CPU time of all of them, and of those that have ended, in milliseconds. */
  readonly cpuMs: number;
}

/** With a larger share of the machine's CPU time, from 0 to 1, other programs have influenced a block. */
export const toleratedOthersShare = 0.05;

/**
 * Measures the CPU share of other programs, which make every figure worse. Two estimates are too low in different cases, so the larger
 * one counts:
 *
 * - The CPU time of the machine without that of the benchmark. It lacks the time of interrupts, which many kernels charge to the process
 *   that they interrupt.
 * - The CPU time of all other processes. In a container, the processes of other containers are not visible.
 * @returns a function that reads the share of other programs since this call, from 0 to 1
 */
export async function watchOthers(own: () => Promise<OwnProcesses>): Promise<() => Promise<number>> {
  const beganAt = performance.now();
  const before = await readTimes(own);
  return async () => {
    const after = await readTimes(own);
    const available = (performance.now() - beganAt) * cpus().length;
    const usedMs = Math.max(after.machineMs - before.machineMs, after.visibleMs - before.visibleMs, 0);
    return usedMs / available;
  };
}

async function readTimes(own: () => Promise<OwnProcesses>) {
  const [machine, stats, { pids, cpuMs }] = await Promise.all([
    readFile('/proc/stat', 'utf8'),
    readProcessStats(),
    own(),
  ]);
  return { machineMs: machineCpuMsOf(machine) - cpuMs, visibleMs: otherCpuMsOf(stats, pids) };
}

/**
 * proc(5) has all processors in its first line, in ticks: user, nice, system, idle, iowait, irq, softirq, steal. Stolen time counts as
 * time of other programs.
 * @param stat the text of /proc/stat
 */
export function machineCpuMsOf(stat: string): number {
  const [line = ''] = stat.split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + steal) * msPerTick;
}

/** The texts of /proc/PID/stat of all visible processes. */
async function readProcessStats(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end between the list and this read.
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
}

/** The thread of the kernel that starts all other threads of the kernel. */
const kthreadd = 2;
const parentField = 4;
/** The fields utime, stime, cutime and cstime. The last two are the times of ended children. */
const timeFields = [14, 15, 16, 17];

/**
 * The CPU time of other processes and their ended children. Threads of the kernel are excluded: most of them work for the benchmark.
 * @param stats the texts of /proc/PID/stat
 */
export function otherCpuMsOf(stats: readonly string[], ownPids: ReadonlySet<number>): number {
  return stats
    .filter((stat) => stat !== '' && !ownPids.has(Number.parseInt(stat, 10)) && !isOfKernel(stat))
    .flatMap((stat) => timeFields.map((field) => Number(statField(stat, field)) * msPerTick))
    .reduce((sum, ms) => sum + ms, 0);
}

function isOfKernel(stat: string): boolean {
  return Number.parseInt(stat, 10) === kthreadd || Number(statField(stat, parentField)) === kthreadd;
}
