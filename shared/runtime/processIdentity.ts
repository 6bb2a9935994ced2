import { readFileSync, readlinkSync } from 'node:fs';

import { z } from 'zod';

import { statField } from './processStat.js';

const schema = z.object({
  /** The run of the kernel and the namespace in which the pid counts: elsewhere the same number is another process. */
  place: z.string().min(1).max(200),
  pid: z.int().positive(),
  /** When it started, in ticks of the kernel: a pid is given again. */
  startedAt: z.string().min(1).max(40),
});

/** Tells a process from every other one, of all machines and times. */
export type ProcessIdentity = z.infer<typeof schema>;

/** The fields of `/proc/<pid>/stat` that are the state and the start. */
const stateNumber = 3;
const startNumber = 22;
/** It has ended, and whoever started it has not asked how. */
const endedStates = ['Z', 'X'];

/** @returns who this process is, or null where the system does not tell (it is Linux that does) */
export function ownIdentity(): ProcessIdentity | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    const stat = readStat(process.pid);
    return stat && { place: `${boot} ${namespace}`, pid: process.pid, startedAt: stat.startedAt };
  } catch {
    return null;
  }
}

/**
 * Whether a process is known to have ended. Of one in another place nothing is known: false.
 * @param own who asks
 */
export function hasEnded({ place, pid, startedAt }: ProcessIdentity, own: ProcessIdentity): boolean {
  if (place !== own.place) {
    return false;
  }
  const stat = readStat(pid);
  if (stat === null) {
    // Where the processes of other users are hidden (`hidepid`) it may live all the same.
    return !isThere(pid);
  }
  return stat.startedAt !== startedAt || endedStates.includes(stat.state);
}

/** @returns null where the text is no identity */
export function parseIdentity(text: string): ProcessIdentity | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function readStat(pid: number): { readonly state: string; readonly startedAt: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = statField(text, stateNumber);
    const startedAt = statField(text, startNumber);
    return state === undefined || startedAt === undefined ? null : { state, startedAt };
  } catch {
    return null;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
