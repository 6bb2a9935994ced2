import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import process from 'node:process';

import { z } from 'zod';

import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Watchdog } from '../../stack/processes/watchdog.js';
import { readUsage } from './processUsage.js';

export interface ChildOptions {
  /** The name in messages, and of its log file. */
  readonly name: string;
  /** The file that Node runs. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A process of the benchmark: a role of a pipeline, the load, the receiver. */
export interface ChildProcess {
  readonly name: string;
  readonly pid: number;
  /** The URL of its HTTP server; empty if it has none. */
  readonly address: string;
  /** CPU time that it has used, in milliseconds. After `stop` or `kill`: the time before that. */
  readonly cpuMs: () => Promise<number>;
  /** Sends a request to a process that calls `answerRequests`. */
  readonly request: <Reply>(request: unknown, reply: z.ZodType<Reply>) => Promise<Reply>;
  /** Rejects if the process ends before `stop` or `kill` was called. */
  readonly crashed: Promise<never>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM, and SIGKILL after a timeout. Resolves when the process has ended, also if it had ended before. */
  readonly stop: () => Promise<void>;
}

export interface ChildHost {
  /** Ends the processes if this process is killed. */
  readonly watchdog: Watchdog;
  /** Gets the `stop` of each process as soon as the process exists, so that an interrupted start leaves none behind. */
  readonly releasers: Releasers;
  /** The directory of the processes' log files. */
  readonly logDirectory: string;
}

const runningSchema = z.object({ type: z.literal('running'), address: z.string() });
const answerSchema = z.object({ id: z.int(), reply: z.unknown().optional(), error: z.string().optional() });

/** A second longer than the deadline of a role of the service. */
const stopDeadlineMs = 21_000;
const startDeadlineMs = 60_000;
const logLinesShown = 15;

/**
 * Starts a process and waits until it reports that it runs.
 * @throws Error with the end of its output if it ends before, or reports nothing for a minute
 */
export async function startChild(options: ChildOptions, host: ChildHost): Promise<ChildProcess> {
  const { name, program, args = [], nodeOptions = [], environment = process.env } = options;
  const logFile = `${host.logDirectory}/${name}.log`;
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    // A new session, which Ctrl-C does not reach. The benchmark stops its processes in order instead.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    // Supports typed arrays.
    serialization: 'advanced',
    env: { ...environment },
  });
  await log.close();
  const { pid = 0 } = child;
  host.watchdog.guard(pid);
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => {
    host.watchdog.release(pid);
    return String(signal ?? code);
  });

  let stopping = false;
  const crashed = exited.then(async (end) => {
    if (!stopping) {
      throw new Error(
        `The process "${name}" has ended with ${end}. Its last lines:\n${await lastLines(logFile)}`,
      );
    }
    return new Promise<never>(() => undefined);
  });
  // Callers that wait for something else race against this promise. Without a caller it is no unhandled rejection.
  crashed.catch(() => undefined);

  let usedMs = 0;
  const cpuMs = async () => {
    usedMs = stopping ? usedMs : (await readUsage(pid)).cpuMs;
    return usedMs;
  };
  const stop = async () => {
    await cpuMs().catch(() => 0);
    stopping = true;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    await exited;
    clearTimeout(timer);
  };
  const kill = async () => {
    await cpuMs();
    stopping = true;
    child.kill('SIGKILL');
    await exited;
  };
  host.releasers.add(name, stop);
  try {
    const signal = AbortSignal.timeout(startDeadlineMs);
    const messages: unknown[] = await Promise.race([once(child, 'message', { signal }), crashed]);
    const { address } = runningSchema.parse(messages[0]);
    return { name, pid, address, cpuMs, crashed, kill, stop, request: createRequest(child, crashed) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Channel = Pick<ReturnType<typeof spawn>, 'on' | 'send'>;

/** Requests have ids, so that several can be in flight at once. */
function createRequest(child: Channel, crashed: Promise<never>): ChildProcess['request'] {
  const pending = new Map<number, (answer: z.infer<typeof answerSchema>) => void>();
  let lastId = 0;
  child.on('message', (message) => {
    const answer = answerSchema.parse(message);
    pending.get(answer.id)?.(answer);
    pending.delete(answer.id);
  });
  return async (request, reply) => {
    const id = (lastId += 1);
    const answered = new Promise<z.infer<typeof answerSchema>>((resolve) => pending.set(id, resolve));
    child.send({ id, request });
    const answer = await Promise.race([answered, crashed]);
    if (answer.error !== undefined) {
      throw new Error(answer.error);
    }
    return reply.parse(answer.reply);
  };
}

async function lastLines(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-logLinesShown);
  return lines.map((line) => `  ${line}`).join('\n');
}
