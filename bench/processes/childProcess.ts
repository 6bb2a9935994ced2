import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import process from 'node:process';

import { z } from 'zod';

import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Watchdog } from '../../stack/processes/watchdog.js';
import { readUsage } from '../measure/processUsage.js';

export interface ChildOptions {
  /** As messages and its log file call it. */
  readonly name: string;
  /** The file that Node runs, and what stands behind it. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A process of the benchmark: a role of a pipeline, the load, the receiver. */
export interface ChildProcess {
  readonly name: string;
  readonly pid: number;
  /** What it answers at, where it listens. */
  readonly address: string;
  /** Processor time that it has used, in milliseconds; once it was stopped or killed, what it had used before. */
  readonly cpuMs: () => Promise<number>;
  /** Asks a process that answers its parent (see answerParent). */
  readonly ask: <Reply>(question: unknown, reply: z.ZodType<Reply>) => Promise<Reply>;
  /** Rejects where the process ends before `stop` or `kill` was called. */
  readonly lost: Promise<never>;
  /** SIGKILL: it has no time to finish anything. Resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM, and SIGKILL where that does not help; resolves when it is gone, also where it was before. */
  readonly stop: () => Promise<void>;
}

export interface ChildHost {
  /** Ends the processes where this one dies without a word. */
  readonly watchdog: Watchdog;
  /** Gets how to stop each process as soon as there is one, so that an interrupted start leaves none behind. */
  readonly releasers: Releasers;
  /** Where each process's output goes. */
  readonly logDirectory: string;
}

const runningSchema = z.object({ type: z.literal('running'), address: z.string() });
const answerSchema = z.object({ id: z.int(), reply: z.unknown().optional(), error: z.string().optional() });

/** A second more than a role of the service allows itself. */
const stopDeadlineMs = 21_000;
const startDeadlineMs = 60_000;
const logLinesShown = 15;

/**
 * Starts a process and waits until it says that it runs.
 * @throws Error with the end of its output where it ends before, or says nothing for a minute
 */
export async function startChild(options: ChildOptions, host: ChildHost): Promise<ChildProcess> {
  const { name, program, args = [], nodeOptions = [], environment = process.env } = options;
  const logFile = `${host.logDirectory}/${name}.log`;
  const log = await open(logFile, 'w');
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    // A session of its own, which Ctrl-C does not reach: it is stopped in order instead.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    // Carries typed arrays.
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
  const lost = exited.then(async (end) => {
    if (!stopping) {
      throw new Error(
        `The process "${name}" has ended with ${end}. Its last lines:\n${await lastLines(logFile)}`,
      );
    }
    return new Promise<never>(() => undefined);
  });
  // Whoever waits for something else at that moment hears of it through the race that it runs.
  lost.catch(() => undefined);

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
    const messages: unknown[] = await Promise.race([once(child, 'message', { signal }), lost]);
    const { address } = runningSchema.parse(messages[0]);
    return { name, pid, address, cpuMs, lost, kill, stop, ask: createAsk(child, lost) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Channel = Pick<ReturnType<typeof spawn>, 'on' | 'send'>;

/** Questions carry numbers, so that several may be open at once. */
function createAsk(child: Channel, lost: Promise<never>): ChildProcess['ask'] {
  const open = new Map<number, (answer: z.infer<typeof answerSchema>) => void>();
  let lastId = 0;
  child.on('message', (message) => {
    const answer = answerSchema.parse(message);
    open.get(answer.id)?.(answer);
    open.delete(answer.id);
  });
  return async (question, reply) => {
    const id = (lastId += 1);
    const answered = new Promise<z.infer<typeof answerSchema>>((resolve) => open.set(id, resolve));
    child.send({ id, question });
    const answer = await Promise.race([answered, lost]);
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
