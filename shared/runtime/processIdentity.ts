import { readFileSync, readlinkSync } from 'node:fs';

import { z } from 'zod';

import { statField } from './processStat.js';

const schema = z.object({
  /**
   * The boot id of the kernel and the pid namespace. After another boot or in another namespace, the same pid is
   * another process.
   */
  place: z.string().min(1).max(200),
  pid: z.int().positive(),
  /** The start time of the process in kernel ticks, because pids are reused. */
  startedAt: z.string().min(1).max(40),
});

/** A globally unique identity of a process. */
export type ProcessIdentity = z.infer<typeof schema>;

/** The fields of `/proc/<pid>/stat` that contain the state and the start time. */
const stateNumber = 3;
const startNumber = 22;
/** The states in `/proc/<pid>/stat` of a process that has ended, but whose parent has not collected its exit status. */
const endedStates = ['Z', 'X'];

/** @returns the identity of this process, or null if the operating system is not Linux */
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
 * Whether a process has certainly ended. The result is false for a process on another machine or in another pid
 * namespace, because its state is unknown.
 * @param own the identity of this process
 */
export function hasEnded({ place, pid, startedAt }: ProcessIdentity, own: ProcessIdentity): boolean {
  if (place !== own.place) {
    return false;
  }
  const stat = readStat(pid);
  if (stat === null) {
    // Without a readable `stat`, the process may still run, because Linux can hide processes of other users
    // (`hidepid`).
    return !isThere(pid);
  }
  return stat.startedAt !== startedAt || endedStates.includes(stat.state);
}

/**
 * Reads the identity of a process from text.
 * @returns null if the text is not an identity
 */
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
