import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

import { lowerThreadPriority } from '../concurrency/workerThread.js';
import type { CallResult, SandboxCall } from './calls.js';
import { createInterpreter, type Interpreter } from './interpreter.js';

/** The result of a call, with the CPU time that it took in the thread, in milliseconds. */
export interface TimedResult {
  readonly result: CallResult;
  readonly ms: number;
}

export interface SandboxThreadData {
  /** Whether the thread has a lower CPU priority than the process. */
  readonly isCareful: boolean;
}

const warmUpCalls = 20;

/** The entry point of a thread. It executes one call after the other, and has no connections and no keys. */
async function serve({ isCareful }: SandboxThreadData): Promise<void> {
  if (isCareful) {
    lowerThreadPriority();
  }
  const interpreter = await createInterpreter();
  await warmUp(interpreter);
  parentPort?.on('message', (call: SandboxCall) => {
    const startedAt = threadTime();
    void interpreter.run(call).then((result) => {
      const timed: TimedResult = { result, ms: threadTime() - startedAt };
      parentPort?.postMessage(timed);
    });
  });
  parentPort?.postMessage('ready');
}

/**
 * The CPU time of the calling thread in milliseconds. A busy machine makes a call longer, and must not make it costly. Other
 * systems than Linux do not have the file, so they count waits too.
 */
function threadTime(): number {
  if (platform !== 'linux') {
    return performance.now();
  }
  const [nanoseconds = ''] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** WebAssembly compiles each function with its first call, so that the first calls of a thread would be slow. */
async function warmUp(interpreter: Interpreter): Promise<void> {
  const code =
    'export default ({ data }) => ({ data: { ...data, sum: data.list.map((n) => n + 1).join() } });';
  for (let call = 0; call < warmUpCalls; call += 1) {
    await interpreter.run({ code, event: '{"url":"","data":{"list":[1,2,3]}}' });
  }
}

await serve(workerData as SandboxThreadData);
