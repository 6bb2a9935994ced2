import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

import type { Settings } from './settings.js';

export interface ProgramOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const program = resolve('dist/cli/main.js');

/** Runs the compiled program with these arguments and settings, to its end. */
export function runProgram(
  settings: Settings,
  ...programArguments: readonly string[]
): Promise<ProgramOutcome> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [program, ...programArguments],
      { env: { ...process.env, ...settings } },
      (_error, stdout, stderr) => {
        done({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}
