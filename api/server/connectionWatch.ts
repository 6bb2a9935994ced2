import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';
import type { Logger } from '../../shared/core/logger.js';
import type { DropReason, Metrics } from '../../shared/runtime/metrics.js';

/** Counts, logs and ends connections that a server does not serve any longer. */
export interface ConnectionWatch {
  readonly drop: (socket: Socket, reason: DropReason) => void;
  /** All that are open. */
  readonly connections: () => Iterable<Socket>;
  /** Ends the checks. */
  readonly stop: () => void;
}

export interface ConnectionWatchDependencies {
  readonly metrics: Pick<Metrics, 'connectionsDropped'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface ConnectionWatchTimes {
  /** A connection with unsent bytes that makes no progress for so long is destroyed, in milliseconds. */
  readonly stalledTimeout: number;
  /** How often connections are checked, in milliseconds. */
  readonly stalledCheckingInterval: number;
}

/** How far a connection was when it last made progress. */
interface Progress {
  sent: number;
  since: number;
}

/**
 * Destroys connections whose clients do not read, whatever they send meanwhile. Connections that Node drops, because the server has as
 * many as it may have, are counted too. All of them are logged together, once in each interval.
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
    // Without the writes that are not complete: of those the operating system has not taken all bytes.
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
      logger.warn({ ...dropped, open: connections.size, limit }, 'connections of clients were dropped');
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
