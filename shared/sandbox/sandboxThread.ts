import type { Worker } from 'node:worker_threads';

import { readyWorkerThread, startWorkerThread } from '../concurrency/workerThread.js';
import { UnavailableError } from '../core/errors.js';
import type { SandboxCall } from './calls.js';
import type { SandboxThreadData, TimedResult } from './main.js';

/**
 * A worker thread that executes one call at a time. The thread starts with its first call, and ends after a minute
 * without a call. If it ends during a call, the next call starts another thread.
 */
export interface SandboxThread {
  /**
   * Runs a call.
   * @returns null if the thread has not returned in time, and has been ended
   * @throws UnavailableError if no thread can start
   */
  readonly run: (call: SandboxCall) => Promise<TimedResult | null>;
  readonly stop: () => Promise<void>;
}

export interface SandboxThreadOptions extends SandboxThreadData {
  /** The module that the thread executes, by default `main`. */
  readonly entry?: URL;
  /** The time of a call after which the thread is ended, in milliseconds; a second by default. */
  readonly watchdogMs?: number;
  /** The time without a call after which the thread ends, in milliseconds; a minute by default. */
  readonly idleMs?: number;
}

interface RunningThread {
  readonly worker: Worker;
  readonly isReady: Promise<void>;
}

const isSource = import.meta.url.endsWith('.ts');
const mainEntry = new URL(isSource ? './main.ts' : './main.js', import.meta.url);

/** The interpreter's own limit of the stack must come before the limit of the thread, in MB. */
const stackMb = 16;
/** A result of 8 MiB needs several copies in the thread. */
const heapMb = 96;
/** The number of ticks of the watchdog. A tick counts once, even if the process was paused for longer. */
const ticks = 20;

export function createSandboxThread(options: SandboxThreadOptions): SandboxThread {
  const { isCareful, entry = mainEntry, watchdogMs = 1000, idleMs = 60_000 } = options;
  let running: RunningThread | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const end = async (): Promise<void> => {
    const thread = running;
    running = null;
    await thread?.worker.terminate();
  };

  const started = (): RunningThread => {
    if (isStopped) {
      throw new UnavailableError('the process is stopping');
    }
    if (running === null) {
      const data: SandboxThreadData = { isCareful };
      const limits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: stackMb };
      const worker = startWorkerThread({ entry, limits, data });
      const thread = { worker, isReady: readyWorkerThread(worker) };
      worker.once('exit', () => {
        running = running === thread ? null : running;
      });
      running = thread;
    }
    return running;
  };

  const execute = ({ worker }: RunningThread, call: SandboxCall) =>
    new Promise<TimedResult | null>((resolve) => {
      let remaining = ticks;
      const settle = (result: TimedResult | null) => {
        clearInterval(watchdog);
        worker.off('message', settle).off('exit', onExit);
        resolve(result);
      };
      const onExit = () => {
        settle(null);
      };
      const watchdog = setInterval(() => {
        remaining -= 1;
        if (remaining === 0) {
          // A result may have arrived while this thread was busy. It is read before the immediate.
          setImmediate(() => {
            if (worker.listeners('message').includes(settle)) {
              void end().then(onExit);
            }
          });
        }
      }, watchdogMs / ticks);
      worker.on('message', settle).on('exit', onExit);
      worker.postMessage(call);
    });

  return {
    run: async (call) => {
      clearTimeout(idleTimer);
      const thread = started();
      await thread.isReady;
      if (running !== thread) {
        throw new UnavailableError('a thread of the sandbox cannot start', { retryAfterSeconds: 1 });
      }
      try {
        return await execute(thread, call);
      } finally {
        idleTimer = setTimeout(() => void end(), idleMs).unref();
      }
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(idleTimer);
      await end();
    },
  };
}
