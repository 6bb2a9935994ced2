import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

import type { ProcessName } from '../../cli/roles/runRole.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import type { Settings } from './settings.js';
import { closeAtEndOfFile } from './fileResources.js';

/** A compiled role in a separate process, as production runs it. */
export interface RoleProcess {
  readonly address: string;
  readonly pid: number;
  /** Resolves when the process has ended, with its exit code. Null after a signal. */
  readonly exited: Promise<number | null>;
  /** Ends the process with kill -9. */
  readonly kill: () => Promise<void>;
  /** Stops the process gracefully. Resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
}

/**
 * @param program the file to run; by default the current program
 * @param log the descriptor of the file for its log lines; by default they are discarded
 */
export async function startRoleProcess(
  role: ProcessName,
  settings: Settings,
  program = resolve('dist/cli/main.js'),
  log: number | 'ignore' = 'ignore',
): Promise<RoleProcess> {
  const watchdog = createWatchdog();
  const child = spawn(process.execPath, [program, role], {
    detached: true,
    stdio: ['ignore', log, 'inherit', 'ipc'],
    env: { ...process.env, ...settings },
  });
  const exited = once(child, 'exit').then(([code]) => {
    watchdog.close();
    return typeof code === 'number' ? code : null;
  });
  watchdog.guard(child.pid ?? 0);
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then((code) => {
      throw new Error(`the ${role} process ended with ${String(code)} before it was ready`);
    }),
  ])) as [{ address: string }];
  return {
    address: message.address,
    pid: child.pid ?? 0,
    exited,
    kill: closeAtEndOfFile(async () => {
      child.kill('SIGKILL');
      await exited;
    }),
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
