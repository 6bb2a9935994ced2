import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { eventually } from '../support/eventually.js';

const execute = promisify(execFile);

export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/**
 * The processes with this text in their command line or, on Linux, in their working directory, because Redis changes its
 * command line. Zombies are not included.
 */
export async function processesWith(text: string): Promise<readonly ListedProcess[]> {
  const { stdout } = await execute('ps', ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,stat=,args=']);
  const listed = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isAlive = pid !== undefined && !state.startsWith('Z');
    return isAlive ? [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }] : [];
  });
  const directories = await Promise.all(
    listed.map(({ pid }) => readlink(`/proc/${pid}/cwd`).catch(() => 'unknown')),
  );
  return listed.filter(({ command }, index) => `${command}\n${directories[index] ?? ''}`.includes(text));
}

/** Waits until no process has this text in its command line. */
export async function whenNoneIsLeft(text: string, timeoutMs = 20_000): Promise<void> {
  await eventually(
    `the end of the processes with ${text}`,
    async () => {
      const left = await processesWith(text);
      if (left.length > 0) {
        throw new Error(left.map(({ command }) => command).join('\n'));
      }
      return true;
    },
    timeoutMs,
  );
}

/** A program of the tests in its own process group, as a shell starts one in the foreground. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The next line that it prints. */
  readonly nextLine: () => Promise<string>;
  /** Resolves with the exit code, or with null if a signal has ended the process. */
  readonly ended: Promise<number | null>;
}

/** @param file relative to this folder */
export function runProgram(file: string, ...args: readonly string[]): Program {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  if (child.pid === undefined) {
    throw new Error(`${file} could not be started`);
  }
  return {
    child,
    pid: child.pid,
    ended,
    nextLine: async () => {
      const line = await lines.next();
      if (line.done === true) {
        throw new Error(`${file} ended before it printed its line`);
      }
      return line.value;
    },
  };
}
