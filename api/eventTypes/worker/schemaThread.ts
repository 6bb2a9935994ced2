import type { Worker } from 'node:worker_threads';

import { readyWorkerThread, startWorkerThread } from '../../../shared/concurrency/workerThread.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { EncodedProgram, SchemaProgram } from '../../../shared/jsonSchema/program/program.js';
import { createStoredPrograms, type CheckLimits, type WorkerJob, type WorkerResult } from './messages.js';

/** A program with the key under which a worker stores it. Programs with the same key are equal. */
export interface KeyedProgram {
  readonly key: string;
  readonly program: SchemaProgram;
}

/** A schema with the key under which a worker stores its program. */
export interface KeyedSchema {
  readonly key: string;
  readonly schema: Uint8Array;
}

/** A check with a program that the thread may have stored, or with a schema that it may have compiled. */
export type CheckJob = (KeyedProgram | KeyedSchema) & {
  readonly limits: CheckLimits;
  /** The steps of all checks of the job, after which no other check starts. */
  readonly stepsOfJob: number;
  readonly data: readonly Uint8Array[];
};

/**
 * A worker thread that executes one job at a time. The thread starts with its first job. If a thread ends, the next job
 * starts another thread.
 */
export interface SchemaThread {
  /** Starts the thread, if it is not running. The promise resolves when the thread can execute a job. */
  readonly start: () => Promise<void>;
  /** @throws UnavailableError if the thread ended before the result, which is no verdict on the schema or the data */
  readonly compile: (schema: Uint8Array) => Promise<WorkerResult>;
  /**
   * Compiles a schema, and stores the program in the thread.
   * @throws UnavailableError as `compile`
   */
  readonly validate: (schema: KeyedSchema) => Promise<WorkerResult>;
  /** @throws UnavailableError as `compile` */
  readonly check: (job: CheckJob) => Promise<WorkerResult>;
  readonly stop: () => Promise<void>;
}

export interface SchemaThreadOptions {
  /** The module that the thread executes, by default `main`. */
  readonly entry?: URL;
  /** The time of a job after which the watchdog ends the thread, in milliseconds. */
  readonly watchdogMs?: number;
  /** The limit of the thread's heap, in MiB. */
  readonly heapMb?: number;
}

/** Every short job takes a few milliseconds, so only a stalled machine or a fault of this project exceeds the time. */
const usualWatchdogMs = 1000;
const usualHeapMb = 64;
/** A check nests at most 10,000 evaluations in a worker (docs/adr/0025-event-types.md). */
const stackMb = 16;

interface RunningThread {
  readonly worker: Worker;
  /** Resolves when the thread has loaded its modules, or has ended. */
  readonly isReady: Promise<void>;
  /** The programs that the thread has stored. */
  readonly stored: ReturnType<typeof createStoredPrograms<true>>;
}

const stalled = 'a check of a schema or an event has stalled';
const ended = 'a worker thread has ended';

export function createSchemaThread(options: SchemaThreadOptions = {}): SchemaThread {
  const { watchdogMs = usualWatchdogMs } = options;
  let running: RunningThread | null = null;
  let isStopped = false;

  const end = (thread: RunningThread): Promise<unknown> => {
    running = running === thread ? null : running;
    return thread.worker.terminate();
  };

  const started = (): RunningThread => {
    if (isStopped) {
      throw new UnavailableError('the process is stopping');
    }
    if (running === null) {
      const worker = startWorker(options);
      const thread = { worker, stored: createStoredPrograms<true>(), isReady: readyWorkerThread(worker) };
      worker.once('exit', () => {
        running = running === thread ? null : running;
      });
      running = thread;
    }
    return running;
  };

  const run = async (thread: RunningThread, job: WorkerJob): Promise<WorkerResult> => {
    await thread.isReady;
    if (running !== thread) {
      throw new UnavailableError(ended);
    }
    return execute(thread, job);
  };

  const execute = (thread: RunningThread, job: WorkerJob) =>
    new Promise<WorkerResult>((resolve, reject) => {
      const { worker } = thread;
      const settle = (result: WorkerResult | UnavailableError) => {
        clearTimeout(timer);
        worker.off('message', settle).off('exit', onExit);
        if (result instanceof UnavailableError) {
          reject(result);
        } else {
          resolve(result);
        }
      };
      const onExit = () => {
        settle(new UnavailableError(ended));
      };
      // A result may have arrived while this thread was busy. It is read before the immediate.
      const timer = setTimeout(() => {
        setImmediate(() => {
          if (worker.listeners('message').includes(settle)) {
            settle(new UnavailableError(stalled));
            void end(thread);
          }
        });
      }, watchdogMs);
      worker.on('message', settle).on('exit', onExit);
      const { message, memory } = messageWith(job);
      worker.postMessage(message, memory);
    });

  const validate = async (thread: RunningThread, { key, schema }: KeyedSchema): Promise<WorkerResult> => {
    const result = await run(thread, { kind: 'validate', key, schema });
    if (result.kind === 'validated' && result.verdict.outcome === 'accepted') {
      thread.stored.set(key, true, result.verdict.bytes);
    }
    return result;
  };

  const check = async (thread: RunningThread, job: CheckJob): Promise<WorkerResult> => {
    const { key, limits, stepsOfJob, data } = job;
    let program: EncodedProgram | null = null;
    if (thread.stored.get(key) !== true) {
      if ('schema' in job) {
        const result = await validate(thread, job);
        if (result.kind !== 'validated' || result.verdict.outcome === 'rejected') {
          return result;
        }
      } else {
        program = job.program.encoded;
        thread.stored.set(key, true, program.bytes);
      }
    }
    return run(thread, { kind: 'check', key, program, limits, stepsOfJob, data });
  };

  return {
    start: async () => started().isReady,
    compile: async (schema) => run(started(), { kind: 'compile', schema }),
    validate: async (schema) => validate(started(), schema),
    check: async (job) => check(started(), job),
    stop: async () => {
      isStopped = true;
      if (running !== null) {
        await end(running);
      }
    },
  };
}

/**
 * The message of a job, with copies of its texts. A text is a part of a request, such as an event of a batch. Without the
 * copy, Node.js would copy the memory of the whole request.
 */
function messageWith(job: WorkerJob): {
  readonly message: WorkerJob;
  readonly memory: readonly ArrayBuffer[];
} {
  if (job.kind === 'check') {
    const data = job.data.map((text) => new Uint8Array(text));
    return { message: { ...job, data }, memory: data.map(({ buffer }) => buffer) };
  }
  const schema = new Uint8Array(job.schema);
  return { message: { ...job, schema }, memory: [schema.buffer] };
}

const isSource = import.meta.url.endsWith('.ts');
const mainEntry = new URL(isSource ? './main.ts' : './main.js', import.meta.url);

function startWorker({ entry = mainEntry, heapMb = usualHeapMb }: SchemaThreadOptions): Worker {
  return startWorkerThread({
    entry,
    limits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: stackMb },
  });
}
