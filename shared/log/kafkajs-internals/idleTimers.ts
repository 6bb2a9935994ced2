import { createRequire } from 'node:module';

import { untilAligned } from '../../concurrency/alignedTimers.js';

interface PendingRequest {
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  /** How long it may go without an answer, in milliseconds. */
  readonly requestTimeout: number;
  timeoutRequest: () => void;
}

/** The parts of kafkajs's request queue that the patch looks at. There is one for each connection. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<number, PendingRequest>;
  /** Until when a broker has asked this connection to be silent, in milliseconds since 1970. */
  readonly throttledUntil: number;
  readonly enforceRequestTimeout: boolean;
  readonly isConnected: () => boolean;
  /** Clears the queue's timers. */
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
/** How late a request may be found overdue, in milliseconds: a fraction of the ten seconds that one has. */
const timeoutCheckMs = 1000;

/**
 * Stops the timers that kafkajs 2.2.4 runs for each connection, forever, whether it has anything to do or not:
 *
 * - After each answer it schedules a check of the waiting requests in one millisecond, over and over, also where none wait
 *   (kafkajs issues 1556 and 1704). It is needed only while something waits or the broker throttles.
 * - Ten times a second it looks for requests without an answer. Once is enough where requests have seconds.
 *
 * A process has up to twenty connections. What it costs idle stands in docs/operations.md.
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
