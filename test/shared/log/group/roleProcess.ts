import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Settings } from '../../../support/settings.js';

const program = fileURLToPath(new URL('roleProgram.ts', import.meta.url));

/** A role in its own process, which ends with this one. */
export interface ReadingRole {
  /** Resolves with the exit code of the process, or with null if a signal has ended it. */
  readonly exitCode: Promise<number | null>;
  /** Kills the process if it has not ended yet. */
  readonly kill: () => Promise<void>;
}

/** Starts the role of `roleProgram.ts`, and waits until it runs. */
export async function startReadingRole(settings: Settings): Promise<ReadingRole> {
  const child = fork(program, { execArgv: ['--import', 'tsx'], env: { ...process.env, ...settings } });
  const exitCode = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  await once(child, 'message');
  return {
    exitCode,
    kill: async () => {
      child.kill('SIGKILL');
      await exitCode;
    },
  };
}
