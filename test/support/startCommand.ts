import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

import { createWatchdog } from '../../stack/processes/watchdog.js';
import { eventually } from './eventually.js';
import type { Settings } from './settings.js';

/** A ready `postrider start`. */
export interface StartedProgram {
  /** The output so far. */
  readonly text: () => string;
  readonly address: string;
  /** Resolves with the exit code. Null after a signal. */
  readonly stop: () => Promise<number | null>;
}

const readyMs = 60_000;

/** Runs `postrider start` of this version, and waits until it is ready. */
export function startProgram(settings: Settings, ...options: readonly string[]): Promise<StartedProgram> {
  return startProgramIn(process.cwd(), settings, ...options);
}

/** Runs `postrider start` of this version in another folder, and waits until it is ready. */
export async function startProgramIn(
  folder: string,
  settings: Settings,
  ...options: readonly string[]
): Promise<StartedProgram> {
  const watchdog = createWatchdog();
  const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'start', ...options], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings },
  });
  watchdog.guard(child.pid ?? 0);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += stripVTControlCharacters(chunk.toString());
    });
  }
  const exited = once(child, 'exit').then(([code]) => {
    watchdog.close();
    return typeof code === 'number' ? code : null;
  });
  const stop = () => {
    child.kill('SIGINT');
    return exited;
  };
  try {
    const address = await eventually(
      'the line that it is ready',
      () => /Postrider is ready at (\S+)/.exec(text)?.[1] ?? null,
      readyMs,
    );
    return { text: () => text, address, stop };
  } catch (error) {
    await stop();
    throw new Error(text, { cause: error });
  }
}
