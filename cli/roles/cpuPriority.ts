import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { statField } from '../../shared/runtime/processStat.js';

/** The field of `/proc/<pid>/stat` that is the session. */
const sessionField = 6;
const sessionShare = '/proc/self/autogroup';

/** Takes a smaller part of processors that are full, by so many steps of `nice`: 0 to 19. */
export type SetCpuPriority = (niceness: number) => void;

/**
 * How a process takes a smaller part of processors that are full, so that others of its machine come first. Where they are not full
 * nothing changes.
 *
 * Linux shares processors among sessions before it looks at the niceness of a process within one (sched(7), "The autogroup feature"),
 * so `nice` does nothing between roles that were started each in a session of its own, as `postrider start` does. A session
 * may take less and take all of its part again, which a nice process may not. Where the process leads no session, as one that a shell
 * has started, the part is not its own to change; containers and units of systemd have weights of their own; and other systems know
 * no sessions of that kind. There all stays as it is.
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
      logger.debug({ niceness, error: messageOf(error) }, 'the part of the processors stays as it is');
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
