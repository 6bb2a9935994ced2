import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Settings } from '../../support/settings.js';

const program = fileURLToPath(new URL('roleProgram.ts', import.meta.url));

/**
 * Starts the program's role in a process of its own, which ends with this one.
 * @returns its exit code, once it has ended; null where a signal has ended it
 */
export async function startReadingRole(settings: Settings): Promise<{ exitCode: Promise<number | null> }> {
  const child = fork(program, { execArgv: ['--import', 'tsx'], env: { ...process.env, ...settings } });
  const exitCode = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  await once(child, 'message');
  return { exitCode };
}
