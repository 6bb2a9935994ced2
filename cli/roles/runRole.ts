import process from 'node:process';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Config } from '../../shared/settings/config.js';
import { messageOf } from '../../shared/core/errors.js';
import { stopDeadlineMs } from '../../shared/runtime/lifecycle.js';
import { createLogger, type Logger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { createCpuPriority } from './cpuPriority.js';
import { collectWhenIdle } from './idleGarbageCollection.js';

export type RoleName = 'api' | 'projections' | 'delivery';

export type StartRole = (config: Config, logger: Logger, clock: Clock) => Promise<RunningRole>;

/** What a role tells the process that started it, over its channel, once it runs. */
export interface RoleMessage {
  readonly type: 'running';
  readonly address: string;
}

const shareIntervalMs = 1000;

/**
 * Runs a role until it is told to stop (exit code 0) or has lost its work (1). SIGTERM, which orchestrators send, drains the role first;
 * Ctrl-C does not. A second signal, or a stop that takes longer than twenty seconds, ends the process at once.
 */
export async function runRole(name: RoleName, start: StartRole, config: Config): Promise<void> {
  const logger = createLogger({ role: name, level: config.log.level, isTerminal: process.stdout.isTTY });
  const die = (error: unknown) => {
    logger.fatal(
      { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined },
      'ends',
    );
    process.exit(1);
  };
  // What nobody awaited has left something half done that nobody knows of: begin again from the log instead.
  process.on('unhandledRejection', die);
  process.on('uncaughtException', die);
  const stopped = stopRequested();
  const role = await start(config, logger, () => new Date());
  const message: RoleMessage = { type: 'running', address: role.address };
  process.send?.(message);
  logger.info({ address: role.address, metricsAddress: role.metricsAddress }, 'running');
  const takeShare = createCpuPriority(logger);
  onAlignedInterval(shareIntervalMs, () => {
    takeShare(role.niceness());
  });
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

/** A signal, or the end of the parent that holds the channel: nobody would be left to stop this process. */
function stopRequested(): Promise<StopRequest> {
  return new Promise((resolve) => {
    for (const request of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
      process.once(request, () => {
        resolve(request);
      });
    }
  });
}
