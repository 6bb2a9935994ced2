import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { statField } from '../../shared/runtime/processStat.js';

/** The field of `/proc/<pid>/stat` that contains the session of a process. */
const sessionField = 6;
const sessionShare = '/proc/self/autogroup';

/** Lowers the CPU share of this process by some steps of `nice`, from 0 to 19. */
export type SetCpuPriority = (niceness: number) => void;

/**
 * The control of a process's CPU share when all CPUs are busy, so that other processes on the machine come first. If a
 * CPU is idle, the priority has no effect.
 *
 * Linux divides CPU time among sessions before it considers the niceness of a process (sched(7), "The autogroup
 * feature"). Each role of `postrider start` has its own session, so `nice` has no effect between the roles. The
 * priority of a session can be lowered and raised again, whereas the niceness of a process can only be raised. The
 * priority of the session stays unchanged in these cases:
 *
 * - The process leads no session, for example if a shell has started the process.
 * - The process runs in a container or a systemd unit, which has its own weight.
 * - The operating system does not divide CPU time among sessions.
 */
export function createCpuPriority(logger: Pick<Logger, 'debug'>): SetCpuPriority {
  let taken = 0;
  const isOurs = leadsSession();
  return (niceness) => {
    if (!isOurs || niceness === taken) {
      return;
    }
    taken = niceness;
    try {
      writeFileSync(sessionShare, String(niceness));
    } catch (error) {
      logger.debug({ niceness, error: messageOf(error) }, 'the CPU priority of the process is not changed');
    }
  };
}

function leadsSession(): boolean {
  try {
    return statField(readFileSync('/proc/self/stat', 'utf8'), sessionField) === String(process.pid);
  } catch {
    return false;
  }
}
