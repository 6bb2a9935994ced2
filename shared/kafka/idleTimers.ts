import { createRequire } from 'node:module';

/** The parts of kafkajs's request queue that the patch looks at. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Until when a broker has asked this connection to be silent, in milliseconds since 1970. */
  readonly throttledUntil: number;
}

interface RequestQueueClass {
  readonly prototype: RequestQueue & { scheduleCheckPendingRequests: (this: RequestQueue) => void };
}

const patched = new WeakSet<RequestQueueClass>();

/**
 * Stops a loop of one-millisecond timers that kafkajs 2.2.4 runs for each connection, forever: after each answer it
 * schedules a check of the waiting requests, with a negative delay, also where none wait (kafkajs issues 1556 and 1704).
 * It is needed only while something waits or the broker throttles. Measured idle, with all roles on: see docs/operations.md.
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
}
