import { createRequire } from 'node:module';

import { untilAligned } from '../../concurrency/alignedTimers.js';

interface PendingRequest {
  /** When the request was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The time after which an unanswered request fails, in milliseconds. */
  readonly requestTimeout: number;
  timeoutRequest: () => void;
}

/** The members of kafkajs's request queue that the patch uses. Each connection has one request queue. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<number, PendingRequest>;
  /** The end of the throttling that a broker has requested for this connection, in milliseconds since 1970. */
  readonly throttledUntil: number;
  readonly enforceRequestTimeout: boolean;
  readonly isConnected: () => boolean;
  /** Clears the timers of the request queue. */
  readonly destroy: () => void;
  requestTimeoutIntervalId?: NodeJS.Timeout;
}

interface RequestQueueClass {
  readonly prototype: RequestQueue & {
    scheduleCheckPendingRequests: (this: RequestQueue) => void;
    scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
  };
}

const patched = new WeakSet<RequestQueueClass>();
/**
 * The interval of the check for overdue requests, in milliseconds. The interval is short compared with the request
 * timeout of 10 s.
 */
const timeoutCheckMs = 1000;

/**
 * Stops the timers that kafkajs 2.2.4 runs permanently for each connection, even if it is idle:
 *
 * - After each answer kafkajs checks the waiting requests every millisecond, even if no request waits (kafkajs issues
 *   1556 and 1704). The patched check runs only while requests wait or the broker throttles.
 * - kafkajs checks ten times a second for overdue requests. The patched check runs once a second, because request
 *   timeouts are several seconds.
 *
 * A process has up to twenty connections to brokers.
 */
export function stopIdleTimers(): void {
  const load = createRequire(import.meta.url);
  const queueClass = load('kafkajs/src/network/requestQueue/index.js') as RequestQueueClass;
  if (patched.has(queueClass)) {
    return;
  }
  patched.add(queueClass);
  const { prototype } = queueClass;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhereNeeded() {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) {
      schedule.call(this);
    }
  };
  prototype.scheduleRequestTimeoutCheck = function scheduleEachSecond() {
    if (this.enforceRequestTimeout) {
      this.destroy();
      this.requestTimeoutIntervalId = setTimeout(endOverdue, untilAligned(timeoutCheckMs), this);
    }
  };
}

function endOverdue(queue: RequestQueue): void {
  for (const request of queue.inflight.values()) {
    if (Date.now() - request.sentAt > request.requestTimeout) {
      request.timeoutRequest();
    }
  }
  if (queue.isConnected()) {
    queue.requestTimeoutIntervalId = setTimeout(endOverdue, untilAligned(timeoutCheckMs), queue);
  } else {
    queue.destroy();
  }
}
