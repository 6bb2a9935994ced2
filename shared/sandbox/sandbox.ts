import { createBoundedMap } from '../concurrency/boundedMap.js';
import { createCallQueue, type SharePath } from './callQueue.js';
import { failedCall, type CallOwner, type CallResult, type SandboxCall } from './calls.js';
import type { TimedResult } from './main.js';
import { createSandboxThread, type SandboxThread } from './sandboxThread.js';

/**
 * The sandbox of a process: threads in which the code of transformations runs (docs/adr/0028-webhook-options.md).
 *
 * ```
 *   webhook with cheap calls ──► fair queue ──► quick threads ──┐ no return within a second
 *   webhook without history  ──► fair queue ──► careful thread ◄┘
 *   webhook with costly calls ─► background ────────┘
 * ```
 *
 * Code that has not run in this process may be hostile, so its first call waits for the careful thread. A call that a
 * quick thread does not return is repeated in the careful thread, because the machine may be the cause.
 */
export interface Sandbox {
  /**
   * Runs a call.
   * @throws UnavailableError if the sandbox is overloaded, which is no failure of the code
   */
  readonly run: (owner: CallOwner, call: SandboxCall) => Promise<CallResult>;
  readonly stop: () => Promise<void>;
}

export interface SandboxOptions {
  /** The number of quick threads. */
  readonly threads?: number;
  readonly createThread?: (options: { readonly isCareful: boolean }) => SandboxThread;
  /** Called for each thread that was ended because a call did not return. */
  readonly onTermination?: () => void;
  /** The monotonic time in milliseconds. */
  readonly now?: () => number;
}

/** What the process has observed of the calls of a webhook. */
interface History {
  /** The moving average of the time of a call, in milliseconds. It begins with 0, because a thread's first call is slow. */
  meanMs: number;
  /** The time of the last call that did not return, or null. */
  lostAt: number | null;
}

const rememberedWebhooks = 10_000;
const weightOfNewest = 0.2;
/** Calls of a webhook with a greater average are costly. */
const costlyMs = 5;
/** The time after a call that did not return during which calls of the webhook are costly, in milliseconds. */
const lostMs = 10 * 60 * 1000;

const queueLimits = { maximumWaiting: 1024, maximumWaitMs: 15_000 };

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const {
    threads = 1,
    createThread = createSandboxThread,
    onTermination,
    now = performance.now.bind(performance),
  } = options;
  const careful = createThread({ isCareful: true });
  const quick = Array.from({ length: threads }, () => createThread({ isCareful: false }));
  const idle = [...quick];
  const quickQueue = createCallQueue({ slots: threads, ...queueLimits });
  const carefulQueue = createCallQueue({ slots: 1, ...queueLimits });
  const histories = createBoundedMap<string, History>(rememberedWebhooks);

  const kindOf = ({ webhookId }: CallOwner): 'new' | 'cheap' | 'costly' => {
    const history = histories.get(webhookId);
    if (history === undefined) {
      return 'new';
    }
    const { meanMs, lostAt } = history;
    return meanMs > costlyMs || (lostAt !== null && now() - lostAt < lostMs) ? 'costly' : 'cheap';
  };

  const observe = ({ webhookId }: CallOwner, timed: TimedResult | null): CallResult | null => {
    const history = histories.get(webhookId) ?? { meanMs: 0, lostAt: null };
    histories.set(webhookId, history);
    if (timed === null) {
      history.lostAt = now();
      onTermination?.();
      return null;
    }
    history.meanMs += weightOfNewest * (timed.ms - history.meanMs);
    return timed.result;
  };

  const runQuickly = (owner: CallOwner, call: SandboxCall) =>
    quickQueue.run(pathOf(owner), async () => {
      const thread = idle.pop();
      if (thread === undefined) {
        throw new Error('the queue has more slots than threads');
      }
      try {
        return observe(owner, await thread.run(call));
      } finally {
        idle.push(thread);
      }
    });

  const runCarefully = (owner: CallOwner, call: SandboxCall, isRepeat: boolean) =>
    carefulQueue.run(
      pathOf(owner),
      async () => {
        const result = observe(owner, await careful.run(call));
        return result ?? (isRepeat ? null : observe(owner, await careful.run(call)));
      },
      { isBackground: kindOf(owner) === 'costly' },
    );

  return {
    run: async (owner, call) => {
      const isCheap = kindOf(owner) === 'cheap';
      const result = isCheap
        ? ((await runQuickly(owner, call)) ?? (await runCarefully(owner, call, true)))
        : await runCarefully(owner, call, false);
      return result ?? failedCall('time', 'The code has not returned within a second.');
    },
    stop: async () => {
      await Promise.all([careful, ...quick].map((thread) => thread.stop()));
    },
  };
}

function pathOf({ accountId, tenantId, webhookId }: CallOwner): SharePath {
  return [accountId, tenantId ?? '', webhookId];
}
