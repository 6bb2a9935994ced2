import { readFile } from 'node:fs/promises';

import { statField } from '../../shared/runtime/processStat.js';

/** The resources that a process has used since its start. */
export interface ProcessUsage {
  /** CPU time of all its threads, in user and kernel mode. */
  readonly cpuMs: number;
  /** The resident memory now. */
  readonly memoryBytes: number;
  /** The largest resident memory so far. */
  readonly peakMemoryBytes: number;
}

/** @throws Error if the process does not run, or the system has no /proc */
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
 * Linux scales the two fields to the time that the scheduler has counted in nanoseconds. So their sum is as exact as
 * /proc/PID/schedstat, and it includes threads that have ended.
 * @param stat the text of /proc/PID/stat
 */
export function cpuMsOf(stat: string): number {
  const ticks = [userTimeField, systemTimeField].map((field) => Number(statField(stat, field)));
  return ticks.reduce((sum, value) => sum + value, 0) * msPerTick;
}

/**
 * proc(5): VmRSS is the resident memory now, VmHWM its peak.
 * @param status the text of /proc/PID/status
 * @returns bytes
 */
export function memoryOf(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? '0';
  return Number(kibibytes) * 1024;
}
