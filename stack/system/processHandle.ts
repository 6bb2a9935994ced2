import { readFile } from 'node:fs/promises';

import { z } from 'zod';

import { statField } from '../../shared/runtime/processStat.js';
import { hasCode } from './errors.js';
import { runCommand } from './command.js';

/**
 * A process that cannot be mistaken for a later one with the same pid. Pids are reused, and a file that names a process outlives it.
 */
export const processHandleSchema = z.object({ pid: z.int().positive(), startedAt: z.string().min(1) });
export type ProcessHandle = Readonly<z.infer<typeof processHandleSchema>>;

/** The fields of `/proc/<pid>/stat` that are the state and the start. */
const stateField = 3;
const startTimeField = 22;

/** The identity of a process that runs now; null if none does, or if it is a zombie that waits for its parent. */
export async function identifyProcess(pid: number): Promise<ProcessHandle | null> {
  const startedAt = process.platform === 'linux' ? await linuxStartTime(pid) : await portableStartTime(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether that very process still runs. */
export async function isRunning(identity: ProcessHandle): Promise<boolean> {
  const current = await identifyProcess(identity.pid);
  return current?.startedAt === identity.startedAt;
}

/** The identity of the process that calls. */
export async function identifySelf(): Promise<ProcessHandle> {
  return (await identifyProcess(process.pid)) ?? { pid: process.pid, startedAt: 'unknown' };
}

async function linuxStartTime(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    return statField(stat, stateField) === 'Z' ? null : (statField(stat, startTimeField) ?? null);
  } catch (error) {
    // ESRCH: it ended between the opening of the file and the reading.
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
