import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';
import type { Logger } from '../../shared/core/logger.js';
import type { DropReason } from '../../shared/runtime/apiMetrics.js';
import type { Metrics } from '../../shared/runtime/metrics.js';

/** The supervision of connections. `drop` destroys, counts and logs a connection. */
export interface ConnectionWatch {
  readonly drop: (socket: Socket, reason: DropReason) => void;
  /** All open connections of the server. */
  readonly connections: () => Iterable<Socket>;
  /** Ends the periodic checks of connections. */
  readonly stop: () => void;
}

export interface ConnectionWatchDependencies {
  readonly metrics: Pick<Metrics, 'connectionsDropped'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface ConnectionWatchTimes {
  /** The time without progress after which a connection with unsent bytes is destroyed, in milliseconds. */
  readonly stalledTimeout: number;
  /** The interval between checks of connections, in milliseconds. */
  readonly stalledCheckingInterval: number;
}

/** The sent bytes of a connection at its last progress. */
interface Progress {
  sent: number;
  since: number;
}

/**
 * Destroys connections whose clients do not read, even if these clients send. Connections that Node drops at the
 * connection limit are counted too. Once per interval, one log line reports all dropped connections.
 */
export function watchConnections(
  server: Server,
  { metrics, logger }: ConnectionWatchDependencies,
  { stalledTimeout, stalledCheckingInterval }: ConnectionWatchTimes,
): ConnectionWatch {
  const connections = new Map<Socket, Progress>();
  let dropped: Partial<Record<DropReason, number>> = {};

  const count = (reason: DropReason) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
    metrics.connectionsDropped.inc({ reason });
  };

  const drop = (socket: Socket, reason: DropReason) => {
    if (!socket.destroyed) {
      count(reason);
      socket.destroy();
    }
  };

  const isStalled = (socket: Socket, progress: Progress, now: number): boolean => {
    // The number of sent bytes excludes incomplete writes, because the operating system has not accepted all of their
    // bytes.
    const sent = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || sent !== progress.sent) {
      progress.sent = sent;
      progress.since = now;
    }
    return now - progress.since >= stalledTimeout;
  };

  const log = () => {
    if (Object.keys(dropped).length > 0) {
      const limit = server.maxConnections;
      logger.warn({ ...dropped, open: connections.size, limit }, 'client connections were dropped');
      dropped = {};
    }
  };

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { sent: 0, since: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('drop', () => {
    count('limit');
  });

  const stop = onAlignedInterval(stalledCheckingInterval, () => {
    const now = performance.now();
    for (const [socket, progress] of connections) {
      if (isStalled(socket, progress, now)) {
        drop(socket, 'stalled');
      }
    }
    log();
  });
  return { drop, stop, connections: () => connections.keys() };
}
