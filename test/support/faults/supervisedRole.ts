import { setTimeout as pause } from 'node:timers/promises';

import type { RoleName } from '../../../cli/roles/runRole.js';
import { startRoleProcess, type RoleProcess } from '../roleProcess.js';
import type { Settings } from '../settings.js';

/** A role in a separate process, which is restarted whenever it ends. */
export interface SupervisedRole {
  readonly address: () => string;
  /** Kills the process with kill -9. Resolves when the next process is ready. */
  readonly kill: () => Promise<void>;
  /** Suspends the process for this time with SIGSTOP and SIGCONT. */
  readonly pause: (forMs: number) => Promise<void>;
  /** The number of ends without a fault of this test. */
  readonly ownEnds: () => number;
  readonly close: () => Promise<void>;
}

const restartMs = 1000;

export async function superviseRole(role: RoleName, settings: Settings): Promise<SupervisedRole> {
  let ready = startRoleProcess(role, settings);
  let current: RoleProcess = await ready;
  let ownEnds = 0;
  let killed = false;
  let closed = false;

  const startUntilReady = async (): Promise<RoleProcess> => {
    while (!closed) {
      await pause(restartMs);
      try {
        return await startRoleProcess(role, settings);
      } catch {
        // It ended before it was ready, because a server is down. A supervisor tries again.
        ownEnds += 1;
      }
    }
    return current;
  };
  const supervise = async () => {
    for (;;) {
      await current.exited;
      if (closed) {
        return;
      }
      ownEnds += killed ? 0 : 1;
      killed = false;
      ready = startUntilReady();
      current = await ready;
    }
  };
  const supervision = supervise();

  return {
    address: () => current.address,
    kill: async () => {
      const victim = await ready;
      killed = true;
      await victim.kill();
      // The supervisor handles the end in a later turn of the event loop, and replaces `ready` there.
      await pause(restartMs);
      await ready;
    },
    pause: async (forMs) => {
      const { pid } = await ready;
      signal(pid, 'SIGSTOP');
      await pause(forMs);
      signal(pid, 'SIGCONT');
    },
    ownEnds: () => ownEnds,
    close: async () => {
      closed = true;
      await (await ready).kill();
      await supervision;
    },
  };
}

/** The process may have been killed meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) {
      throw error;
    }
  }
}
