import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';

import { runCommandLine } from '../../cli/program.js';
import type { Settings } from './settings.js';

export interface ProgramOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the compiled program with these arguments and settings until it ends. */
export function runProgram(
  settings: Settings,
  ...programArguments: readonly string[]
): Promise<ProgramOutcome> {
  return runProgramAt(resolve('dist/cli/main.js'), settings, ...programArguments);
}

/** Runs the compiled program in another folder, for commands that work on the files there. */
export function runProgramIn(
  folder: string,
  settings: Settings,
  ...programArguments: readonly string[]
): Promise<ProgramOutcome> {
  return runFile(resolve('dist/cli/main.js'), programArguments, { settings, folder });
}

/** Runs another build of the program. */
export function runProgramAt(
  program: string,
  settings: Settings,
  ...programArguments: readonly string[]
): Promise<ProgramOutcome> {
  return runFile(program, programArguments, { settings, folder: process.cwd() });
}

function runFile(
  program: string,
  programArguments: readonly string[],
  { settings, folder }: { readonly settings: Settings; readonly folder: string },
): Promise<ProgramOutcome> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [program, ...programArguments],
      { env: { ...process.env, ...settings }, cwd: folder },
      (_error, stdout, stderr) => {
        done({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the program in this process, one at a time, because a separate process takes a second to load. It does not support
 * commands that end their process. The shell is not interactive.
 */
export function runCommand(
  settings: Settings,
  ...programArguments: readonly string[]
): Promise<ProgramOutcome> {
  const outcome = last.then(() => runAlone(settings, programArguments));
  last = outcome.catch(() => undefined);
  return outcome;
}

async function runAlone(settings: Settings, words: readonly string[]): Promise<ProgramOutcome> {
  const before = { ...process.env };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  const { isTTY } = process.stdin;
  Object.assign(process.env, settings);
  process.stdin.isTTY = false;
  try {
    const code = await runCommandLine(words);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    Object.keys(settings).forEach((name) => Reflect.deleteProperty(process.env, name));
    Object.assign(process.env, before);
    process.stdin.isTTY = isTTY;
    stdout.end();
    stderr.end();
  }
}

/** Captures all later output. */
function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly end: () => void } {
  const parts: string[] = [];
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array) => {
    parts.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    return true;
  };
  return {
    text: () => parts.join(''),
    end: () => {
      stream.write = write;
    },
  };
}
