import process from 'node:process';

import type { Clock } from '../../shared/core/clock.js';
import type { Config } from '../../shared/settings/config.js';
import { messageOf } from '../../shared/core/errors.js';
import { stopDeadlineMs } from '../../shared/runtime/lifecycle.js';
import { createLogger, type Logger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { heapGrowthPercent, limitHeapGrowth } from './heapGrowth.js';
import { collectWhenIdle } from './idleGarbageCollection.js';

export type RoleName = 'api' | 'projections' | 'delivery';

/** The role that a process runs, or `all` for all roles. */
export type ProcessName = RoleName | 'all';

export type StartRole = (config: Config, logger: Logger, clock: Clock) => Promise<RunningRole>;

/** The message of a running role to the process that started it, over the IPC channel. */
export interface RoleMessage {
  readonly type: 'running';
  readonly address: string;
}

/** The longest time that a process lives after its role could not start. */
const failedStartMs = 1000;

/**
 * Runs a role until the role is stopped (exit code 0) or cannot continue (exit code 1). SIGTERM, which orchestrators
 * send, drains the role first, but Ctrl-C does not. A second signal, or a stop of over twenty seconds, ends the process
 * immediately.
 */
export async function runRole(name: ProcessName, start: StartRole, config: Config): Promise<void> {
  limitHeapGrowth(name === 'all' ? heapGrowthPercent.allRoles : heapGrowthPercent.role);
  const logger = createLogger({ role: name, level: config.log.level, isTerminal: process.stdout.isTTY });
  const die = (error: unknown) => {
    logger.fatal(
      { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined },
      'ends',
    );
    process.exit(1);
  };
  // An unhandled rejection may have left the state of the process inconsistent, so the process ends and restarts from
  // the log.
  process.on('unhandledRejection', die);
  process.on('uncaughtException', die);
  const stopped = stopRequested();
  const role = await start(config, logger, () => new Date()).catch((error: unknown) => {
    // The IPC channel, or a handle that the failed start has left open, must not keep the process alive: who started it
    // waits for its end.
    setTimeout(() => process.exit(1), failedStartMs).unref();
    throw error;
  });
  const message: RoleMessage = { type: 'running', address: role.address };
  process.send?.(message);
  logger.info({ address: role.address, metricsAddress: role.metricsAddress }, 'running');
  collectWhenIdle();
  const end = await Promise.race([stopped, role.lost]);
  process.on('SIGTERM', () => process.exit(1));
  process.on('SIGINT', () => process.exit(1));
  if (end === 'SIGTERM' && role.drain !== undefined) {
    logger.info('draining');
    await role.drain();
  }
  setTimeout(() => process.exit(1), stopDeadlineMs).unref();
  logger.info('stopping');
  await role.stop();
  process.exit(end instanceof Error ? 1 : 0);
}

type StopRequest = 'SIGTERM' | 'SIGINT' | 'disconnect';

/**
 * Resolves on a signal, or when the parent process ends and closes the IPC channel. Without the IPC channel, a role
 * would continue after the end of its parent.
 */
function stopRequested(): Promise<StopRequest> {
  return new Promise((resolve) => {
    for (const request of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
      process.once(request, () => {
        resolve(request);
      });
    }
  });
}
