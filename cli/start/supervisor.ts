import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

import { z } from 'zod';

import type { Watchdog } from '../../stack/processes/watchdog.js';
import type { Environment } from '../environment/environment.js';
import type { ProcessName, RoleMessage } from '../roles/runRole.js';
import { CommandFailure, printStatus } from '../terminal/output.js';
import { withRoleMemory } from './roleMemory.js';

export interface Supervisor {
  /**
   * Starts a role in a separate process and resolves with the role's address when the role runs. A role that ends later
   * is restarted.
   * @throws CommandFailure if the role ends before it was ready, or after a stop
   */
  start: (role: ProcessName, environment: Environment) => Promise<string>;
  /** Stops the roles one after the other. The role that was started last is stopped first. */
  stop: () => Promise<void>;
  /**
   * Stops all roles at once, and kills those that do not end within seconds. Roles without their servers cannot finish
   * their work, and the log has all that was acknowledged.
   */
  stopSoon: () => Promise<void>;
}

const shortestPauseMs = 500;
const longestPauseMs = 30_000;
/** The run time of a role after which its restart delay is reset. */
const provenAfterMs = 60_000;
/**
 * The time limit for stopping a role, after its drain delay. The limit is one second more than the role's own deadline.
 */
const stopDeadlineMs = 21_000;
const stopSoonDeadlineMs = 3000;

export interface SupervisorSettings {
  /** The drain delay of the API, in milliseconds. */
  readonly drainDelayMs: number;
}

const roleMessageSchema = z.object({
  type: z.literal('running'),
  address: z.string(),
}) satisfies z.ZodType<RoleMessage>;

/** Keeps the roles of a local service running. If this process is killed, the watchdog ends the roles. */
export function createSupervisor(watchdog: Watchdog, { drainDelayMs }: SupervisorSettings): Supervisor {
  const stops: ((deadlineMs: number) => Promise<void>)[] = [];
  let isStopped = false;
  return {
    start: async (role, environment) => {
      if (isStopped) {
        throw new CommandFailure(`The ${role} process is no longer needed.`);
      }
      let stopping = false;
      let child = spawnRole(role, environment, watchdog);
      let pauseMs = shortestPauseMs;
      let restart: NodeJS.Timeout | undefined;

      const keepRunning = (running: ChildProcess) => {
        const startedAt = Date.now();
        running.once('exit', (code, signal) => {
          if (stopping) {
            return;
          }
          pauseMs =
            Date.now() - startedAt > provenAfterMs ? shortestPauseMs : Math.min(longestPauseMs, pauseMs * 2);
          printStatus(
            `The ${role} process ended (${signal ?? String(code)}). The process restarts in ${pauseMs} ms.`,
          );
          restart = setTimeout(() => {
            child = spawnRole(role, environment, watchdog);
            keepRunning(child);
          }, pauseMs);
        });
      };

      stops.unshift(async (deadlineMs) => {
        stopping = true;
        clearTimeout(restart);
        await stopChild(child, deadlineMs);
      });
      const address = await addressOnceRunning(role, child);
      keepRunning(child);
      return address;
    },
    stop: async () => {
      isStopped = true;
      for (const stop of stops) {
        await stop(drainDelayMs + stopDeadlineMs);
      }
    },
    stopSoon: async () => {
      isStopped = true;
      await Promise.all(stops.map((stop) => stop(stopSoonDeadlineMs)));
    },
  };
}

function spawnRole(role: ProcessName, environment: Environment, watchdog: Watchdog): ChildProcess {
  const [program] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, program ?? '', role], {
    // Each role has its own session, which Ctrl-C does not reach. After Ctrl-C the supervisor stops the roles in order.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: withRoleMemory(role, environment),
  });
  const { pid } = child;
  if (pid !== undefined) {
    watchdog.guard(pid);
    child.once('exit', () => {
      watchdog.release(pid);
    });
  }
  return child;
}

async function addressOnceRunning(role: ProcessName, child: ChildProcess): Promise<string> {
  const running = once(child, 'message').then(([message]) => roleMessageSchema.parse(message).address);
  const ended = once(child, 'exit').then(() => {
    throw new CommandFailure(
      `The ${role} process ended before it was ready. The last log lines of the process ` +
        `contain the reason.`,
    );
  });
  return Promise.race([running, ended]);
}

async function stopChild(child: ChildProcess, deadlineMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  await ended;
  clearTimeout(timer);
}
