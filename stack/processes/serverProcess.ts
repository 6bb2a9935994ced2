import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { messageOf } from '../../shared/core/errors.js';
import { hasCode, PortTakenError, StackError } from '../system/errors.js';
import type { StackEnvironment } from '../system/machine.js';
import { identifyProcess, type ProcessHandle } from '../system/processHandle.js';
import { endProcess, signalGroup } from '../system/signals.js';
import type { Watchdog } from './watchdog.js';

/** How to run a server, and how to tell that it can be used. */
export interface ServerPlan {
  /** As the user reads it: `Kafka`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** What the server prints; the file of the start before is kept in the same folder. */
  readonly logFile: string;
  /** Resolves once the server with this pid can be used; gives up when the signal is aborted. */
  readonly whenReady: (pid: number, signal: AbortSignal) => Promise<void>;
}

/** What all servers of a stack share. */
export interface ServerHost {
  readonly environment: StackEnvironment;
  readonly watchdog: Watchdog;
  /** Aborted if the server is no longer wanted before it is ready. */
  readonly givenUp?: AbortSignal;
  /** Called after a restart, when the server has another pid. */
  readonly onRestarted?: () => Promise<void>;
}

/** A server that runs. Each call resolves when its effect is there. */
export interface ServerHandle {
  readonly name: string;
  /** Another one after `restart`. */
  readonly pid: number;
  readonly identity: ProcessHandle;
  readonly logFile: string;
  /** SIGKILL: as a crash, nothing is flushed. */
  kill: () => Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause: () => void;
  /** SIGCONT. */
  resume: () => void;
  /** SIGTERM, and SIGKILL if that does not help. */
  stop: () => Promise<void>;
  /** Starts it again on the same port with the same data, stopped or not; resolves when it is ready. */
  restart: () => Promise<void>;
}

const readyLimitMs = 60_000;
const logLinesShown = 15;
const portTaken = /address already in use|EADDRINUSE/i;

/**
 * Starts a server and waits until it is ready.
 * @throws PortTakenError if its port was taken; StackError, with the end of its log, if it ended or was not ready within a minute.
 * Nothing of it is left running then.
 */
export async function startServerProcess(plan: ServerPlan, host: ServerHost): Promise<ServerHandle> {
  let identity = await launch(plan, host);
  const stop = () => endProcess(identity);
  return {
    name: plan.name,
    logFile: plan.logFile,
    get pid() {
      return identity.pid;
    },
    get identity() {
      return identity;
    },
    kill: () => endProcess(identity, 'SIGKILL'),
    pause: () => {
      signalGroup(identity.pid, 'SIGSTOP');
    },
    resume: () => {
      signalGroup(identity.pid, 'SIGCONT');
    },
    stop,
    async restart() {
      await stop();
      identity = await launch(plan, host);
      await host.onRestarted?.();
    },
  };
}

/**
 * Becomes the server once a line has come, which is sent after the watchdog has its pid. So this process may be
 * killed at any moment and no server is left: an input that ends without a line ends the shell.
 */
const startWhenTold = 'read -r order && exec "$@" </dev/null';

async function launch(plan: ServerPlan, host: ServerHost): Promise<ProcessHandle> {
  const log = await openLog(plan.logFile);
  const child = spawn('/bin/sh', ['-c', startWhenTold, plan.name, plan.program, ...plan.args], {
    // A new session: Ctrl-C goes to this process alone, which stops the server in order.
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    env: { ...host.environment },
    cwd: dirname(plan.logFile),
  });
  const ended = guard(child, host.watchdog);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end('start\n');
  await log.close();
  const { pid } = child;
  if (pid === undefined) {
    throw new StackError(`${plan.name} could not be started: ${await ended}`);
  }

  const identity = await identifyProcess(pid);
  const problem = await firstProblem(plan, { pid, ended, givenUp: host.givenUp });
  if (problem === null && identity !== null) {
    return identity;
  }
  // Explained first: what the server writes about its end would hide what kept it from starting.
  const failure = await explain(plan, problem ?? 'it ended at once');
  if (identity !== null) {
    await endProcess(identity);
  }
  throw failure;
}

async function openLog(logFile: string): Promise<FileHandle> {
  await mkdir(dirname(logFile), { recursive: true });
  await keepPreviousLog(logFile);
  return open(logFile, 'w');
}

async function keepPreviousLog(logFile: string): Promise<void> {
  try {
    await rename(logFile, `${logFile}.previous`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) {
      throw error;
    }
  }
}

/** @returns how the process ended, once it has */
async function guard(child: ChildProcess, watchdog: Watchdog): Promise<string> {
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `it ended with code ${String(code)}` : `it was ended by ${signal}`);
    });
  });
  // The server does not keep this process alive: if a caller forgets to stop it, the watchdog does.
  child.unref();
  const { pid } = child;
  if (pid === undefined) {
    return ended;
  }
  watchdog.guard(pid);
  const end = await ended;
  watchdog.release(pid);
  return end;
}

/** The reason why the server did not become ready; null if it did. */
async function firstProblem(
  plan: ServerPlan,
  { pid, ended, givenUp }: { pid: number; ended: Promise<string>; givenUp: AbortSignal | undefined },
): Promise<string | null> {
  const decided = new AbortController();
  const signals = [
    AbortSignal.timeout(readyLimitMs),
    decided.signal,
    ...(givenUp === undefined ? [] : [givenUp]),
  ];
  const signal = AbortSignal.any(signals);
  const ready = plan.whenReady(pid, signal).then(
    () => (signal.aborted ? 'it was not ready within a minute' : null),
    (error: unknown) => messageOf(error),
  );
  const problem = await Promise.race([ready, ended]);
  decided.abort();
  return problem;
}

async function explain(plan: ServerPlan, problem: string): Promise<StackError> {
  const log = await readFile(plan.logFile, 'utf8').catch(() => '');
  if (portTaken.test(log)) {
    return new PortTakenError(`${plan.name} could not start, because another program uses its port.`);
  }
  const lines = log.trimEnd().split('\n').slice(-logLinesShown);
  return new StackError(
    [
      `${plan.name} did not start: ${problem}. The end of its log, ${plan.logFile}:`,
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
  );
}
