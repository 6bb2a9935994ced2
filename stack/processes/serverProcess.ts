import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { messageOf } from '../../shared/core/errors.js';
import { hasCode, PortTakenError, StackError } from '../system/errors.js';
import type { StackEnvironment } from '../system/machine.js';
import { identifyProcess, type ProcessHandle } from '../system/processHandle.js';
import { endProcess, signalGroup } from '../system/signals.js';
import type { Watchdog } from './watchdog.js';

/** The command that runs a server, and the condition under which the server is ready. */
export interface ServerPlan {
  /** The name of the server for the user, such as `Kafka`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The file for the server's output. The log file of the previous start is in the same folder. */
  readonly logFile: string;
  /** Resolves when the server with this pid is ready, and stops waiting when the signal is aborted. */
  readonly whenReady: (pid: number, signal: AbortSignal) => Promise<void>;
}

/** The settings that all servers of a stack share. */
export interface ServerHost {
  readonly environment: StackEnvironment;
  readonly watchdog: Watchdog;
  /** A signal that is aborted if the server is no longer needed before it is ready. */
  readonly givenUp?: AbortSignal;
  /** Called after a restart of the server, which changes the server's pid. */
  readonly onRestarted?: () => Promise<void>;
}

/** What is left of a server that an earlier process has started. */
export interface FormerServer {
  /** The port at which clients know the server. */
  readonly port: number;
  /** The process of the server, or null if it has ended. */
  readonly running: ProcessHandle | null;
}

/** A running server. The promise of each call resolves when the effect of the call is complete. */
export interface ServerHandle {
  readonly name: string;
  /** The pid of the server, which `restart` changes. */
  readonly pid: number;
  readonly identity: ProcessHandle;
  readonly logFile: string;
  /** Sends SIGKILL to the server. The server flushes nothing, as after a crash. */
  kill: () => Promise<void>;
  /** Sends SIGSTOP to the server. The connections of a paused server stay open, and it sends no responses. */
  pause: () => void;
  /** Sends SIGCONT to the server. */
  resume: () => void;
  /** Sends SIGTERM to the server, and SIGKILL if it does not end. */
  stop: () => Promise<void>;
  /**
   * Starts the server again on the same port with the same data, after a stop of the running server. The promise
   * resolves when the server is ready.
   * @param givenUp a signal that is aborted if the server is no longer needed
   */
  restart: (givenUp?: AbortSignal) => Promise<void>;
}

const readyLimitMs = 60_000;
const logLinesShown = 15;
const portTaken = /address already in use|EADDRINUSE/i;

/**
 * Starts a server and waits until the server is ready. After an error no process of the server runs.
 * @param running the process of the server, if it runs already
 * @throws PortTakenError if the port of the server was taken
 * @throws StackError, with the end of the server's log, if the server ended or was not ready within a minute
 */
export async function startServerProcess(
  plan: ServerPlan,
  host: ServerHost,
  running: ProcessHandle | null = null,
): Promise<ServerHandle> {
  let identity = running ?? (await launch(plan, host));
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
    async restart(givenUp) {
      await stop();
      identity = await launch(plan, givenUp === undefined ? host : { ...host, givenUp });
      await host.onRestarted?.();
    },
  };
}

/**
 * The shell command that replaces itself by the server after it has read a line. This process sends the line after the
 * watchdog has the server's pid. If this process is killed before it sends the line, the shell's input ends, and no
 * server is started.
 */
const startWhenTold = 'read -r order && exec "$@" </dev/null';

async function launch(plan: ServerPlan, host: ServerHost): Promise<ProcessHandle> {
  const log = await openLog(plan.logFile);
  const child = spawn('/bin/sh', ['-c', startWhenTold, plan.name, plan.program, ...plan.args], {
    // The server has its own session, so Ctrl-C reaches only this process, which stops the server in order.
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
  // The failure is explained before the server is stopped, because the server's last output would hide the cause.
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

/** @returns a description of how the process ended, when it has ended */
async function guard(child: ChildProcess, watchdog: Watchdog): Promise<string> {
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `it ended with code ${String(code)}` : `it was ended by ${signal}`);
    });
  });
  // The server does not keep this process alive. If a caller forgets to stop the server, the watchdog stops it.
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

/** The reason why the server did not become ready, or null if it is ready. */
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
