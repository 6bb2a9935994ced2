import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

import { closeAtEndOfFile } from '../../../test/support/fileResources.js';
import {
  answerSchema,
  type Arguments,
  type Command,
  type DrivenError,
  resultSchemas,
  type Results,
  type Settings,
} from '../protocol.js';

/** The driver of a library, which starts with the first command. */
export interface Driver {
  /** @throws Error if the library reports an error */
  readonly call: <Name extends Command>(
    command: Name,
    given: Arguments[Name],
    settings?: Settings,
  ) => Promise<Results[Name]>;
  /**
   * Calls the library and returns its error.
   * @throws Error if the call succeeds
   */
  readonly fail: <Name extends Command>(
    command: Name,
    given: Arguments[Name],
    settings?: Settings,
  ) => Promise<DrivenError>;
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** The lines of its answers. */
  readonly lines: AsyncIterator<string>;
  /** What it has written for people. */
  readonly text: () => string;
}

/** The time after which a call hangs. It exceeds the times for which a library may wait before all its retries. */
const hangingMs = 170_000;
const exitMs = 20_000;

/**
 * @param program with its arguments
 * @param environment variables in addition to those of this process
 */
export function createDriver(
  [program, ...programArguments]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): Driver {
  let running: Running | null = null;

  const start = (): Running => {
    const child = spawn(program, programArguments, { env: { ...process.env, ...environment } });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', (error) => (text += error.message));
    child.stdin.on('error', () => undefined);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, lines, text: () => text };
  };

  const answerTo = async (line: string): Promise<string> => {
    const { child, lines, text } = (running ??= start());
    const hanging = setTimeout(() => child.kill('SIGKILL'), hangingMs);
    child.stdin.write(`${line}\n`);
    const next = await lines.next();
    clearTimeout(hanging);
    if (next.done === true) {
      running = null;
      throw new Error(`The driver ended, or had no answer within ${hangingMs} ms, to ${line}\n${text()}`);
    }
    return next.value;
  };

  const run: <Name extends Command>(
    command: Name,
    given: Arguments[Name],
    settings?: Settings,
  ) => Promise<{ readonly result: Results[Name] } | { readonly error: DrivenError }> = async (
    command,
    given,
    settings = {},
  ) => {
    const json = JSON.stringify({ command, settings, arguments: given });
    // Newer versions of Node.js read U+2028 and U+2029 as ends of lines too.
    const line = await answerTo(json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'));
    const answer = answerSchema.parse(JSON.parse(line));
    return 'error' in answer ? answer : { result: resultSchemas[command].parse(answer.result) };
  };

  closeAtEndOfFile(async () => {
    if (running === null) {
      return;
    }
    const { child, text } = running;
    const exited = once(child, 'exit');
    child.stdin.end();
    const hanging = setTimeout(() => child.kill('SIGKILL'), exitMs);
    await exited;
    clearTimeout(hanging);
    if (child.exitCode !== 0) {
      throw new Error(`The driver ended with ${String(child.exitCode)} at the end of its input.\n${text()}`);
    }
  });

  return {
    call: async (command, given, settings) => {
      const answer = await run(command, given, settings);
      if ('error' in answer) {
        throw new Error(`${command} failed: ${JSON.stringify(answer.error)}`);
      }
      return answer.result;
    },
    fail: async (command, given, settings) => {
      const answer = await run(command, given, settings);
      if (!('error' in answer)) {
        throw new Error(`${command} should have failed: ${JSON.stringify(answer.result)}`);
      }
      return answer.error;
    },
  };
}
