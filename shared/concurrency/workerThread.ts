import { setPriority } from 'node:os';
import { platform } from 'node:process';
import { Worker, type ResourceLimits } from 'node:worker_threads';

export interface WorkerThreadOptions {
  /** The module that the thread executes. It posts a first message when it can execute jobs. */
  readonly entry: URL;
  readonly limits: ResourceLimits;
}

/** Executes a TypeScript module, for tests of the sources. Node.js does not pass the loader of tsx to worker threads. */
const executeSource = (entry: URL) => `
  import('tsx/esm/api').then(({ register }) => {
    register();
    return import(${JSON.stringify(entry.href)});
  });`;

/** Starts a thread without the environment of the process. A waiting thread does not prevent the end of the process. */
export function startWorkerThread({ entry, limits }: WorkerThreadOptions): Worker {
  const isCompiled = entry.pathname.endsWith('.js');
  const worker = new Worker(isCompiled ? entry : executeSource(entry), {
    eval: !isCompiled,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: limits,
  });
  // The cause of the end is an error of the job, which `exit` reports.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

/** The longest time in which a thread loads its modules, in milliseconds. */
const startMs = 10_000;

/** Resolves when the thread has loaded its modules, or has ended. */
export function readyWorkerThread(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => void worker.terminate(), startMs);
    const ready = () => {
      clearTimeout(timer);
      resolve();
    };
    worker.once('message', ready).once('exit', ready);
  });
}

/** The CPU priority of threads whose work may wait. */
const niceness = 10;

/** Lowers the priority of the calling thread. On other systems than Linux, this would change the whole process. */
export function lowerThreadPriority(): void {
  if (platform === 'linux') {
    try {
      setPriority(0, niceness);
    } catch {
      // The process already has a lower priority, which it must not raise.
    }
  }
}
