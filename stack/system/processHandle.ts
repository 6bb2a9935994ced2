import { readFile } from 'node:fs/promises';

import { z } from 'zod';

import { statField } from '../../shared/runtime/processStat.js';
import { hasCode } from './errors.js';
import { runCommand } from './command.js';

/**
 * The identity of a process: its pid and its start time. Pids are reused, and a file that names a process may exist
 * longer than the process.
 */
export const processHandleSchema = z.object({ pid: z.int().positive(), startedAt: z.string().min(1) });
export type ProcessHandle = Readonly<z.infer<typeof processHandleSchema>>;

/** The fields of `/proc/<pid>/stat` that contain the state and the start time of a process. */
const stateField = 3;
const startTimeField = 22;

/**
 * The identity of the process that has this pid now, or null if no such process runs. A zombie, which waits for its
 * parent, counts as ended.
 */
export async function identifyProcess(pid: number): Promise<ProcessHandle | null> {
  const startedAt = process.platform === 'linux' ? await linuxStartTime(pid) : await portableStartTime(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether the process with this identity still runs. */
export async function isRunning(identity: ProcessHandle): Promise<boolean> {
  const current = await identifyProcess(identity.pid);
  return current?.startedAt === identity.startedAt;
}

export async function identifySelf(): Promise<ProcessHandle> {
  return (await identifyProcess(process.pid)) ?? { pid: process.pid, startedAt: 'unknown' };
}

async function linuxStartTime(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    return statField(stat, stateField) === 'Z' ? null : (statField(stat, startTimeField) ?? null);
  } catch (error) {
    // ESRCH: the process ended after the file was opened and before it was read.
    if (hasCode(error, 'ENOENT', 'ESRCH')) {
      return null;
    }
    throw error;
  }
}

async function portableStartTime(pid: number): Promise<string | null> {
  const listing = await runCommand('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    environment: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    timeoutMs: 5_000,
  });
  const line = listing.ok ? listing.value.trim() : '';
  return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
}
