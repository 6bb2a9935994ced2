import { readFile } from 'node:fs/promises';

import { statField } from '../../shared/runtime/processStat.js';

/** What a process has used since it was started. */
export interface ProcessUsage {
  /** Of all its threads, in user and kernel mode. */
  readonly cpuMs: number;
  /** What it holds of the machine's memory now. */
  readonly memoryBytes: number;
  /** The most that it has held at once. */
  readonly peakMemoryBytes: number;
}

/** @throws Error where no such process runs, or the system has no /proc */
export async function readUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return {
    cpuMs: cpuMsOf(stat),
    memoryBytes: memoryOf(status, 'VmRSS'),
    peakMemoryBytes: memoryOf(status, 'VmHWM'),
  };
}

/** USER_HZ, which is 100 on every architecture that Node runs on. */
export const msPerTick = 10;
/** The fields utime and stime. */
const userTimeField = 14;
const systemTimeField = 15;

/**
 * Linux scales the two to the time that the scheduler has counted to the nanosecond, so that their sum is as exact as
 * /proc/PID/schedstat, and has the threads in it that have ended.
 * @param stat the text of /proc/PID/stat
 */
export function cpuMsOf(stat: string): number {
  const ticks = [userTimeField, systemTimeField].map((field) => Number(statField(stat, field)));
  return ticks.reduce((sum, value) => sum + value, 0) * msPerTick;
}

/**
 * proc(5): VmRSS is what is resident now, VmHWM the most that ever was.
 * @param status the text of /proc/PID/status
 * @returns bytes
 */
export function memoryOf(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? '0';
  return Number(kibibytes) * 1024;
}
