import { UnavailableError } from '../../../shared/core/errors.js';

/**
 * The queue of a worker thread, which executes one job at a time.
 *
 * - Accounts with waiting jobs get their turns one after the other.
 * - After a job of t ms, the account's next job starts 4 t later at the earliest, but at most 500 ms. So an account with
 *   short jobs occupies at most 20 % of the worker, and other accounts wait for one of its jobs at most.
 * - After a costly job of t ms, the pause is 19 t, but at most 1 s. So an account with such jobs occupies at most 5 %.
 * - Jobs outside the share start without a pause, and cause none.
 * - Background jobs start only if no other job can start.
 */
export interface WorkerQueue {
  /**
   * Runs a job when the worker and the account's share are free.
   * @throws UnavailableError if too many jobs wait, or if the job cannot start in time
   */
  readonly run: <Result>(
    accountId: string,
    job: () => Promise<Result>,
    options?: JobOptions,
  ) => Promise<Result>;
}

export interface JobOptions {
  readonly isBackground?: boolean;
  /** Whether the job is a check that no ordinary event needs, because it has exhausted smaller budgets. */
  readonly isCostly?: boolean;
  /** Whether the job is work that the account has already been granted, such as a schema that the API has accepted. */
  readonly isOutsideShare?: boolean;
  /** The longest time until the job starts, in milliseconds. */
  readonly maximumWaitMs?: number;
}

/** A monotonic clock with timers. */
export interface WorkerClock {
  /** The time in milliseconds. */
  readonly now: () => number;
  /**
   * Calls a function after some milliseconds.
   * @returns a function that cancels the call
   */
  readonly after: (ms: number, call: () => void) => () => void;
}

const processClock: WorkerClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};

interface Pause {
  /** The pause of an account after a job, as a multiple of the job's duration. */
  readonly factor: number;
  /** The longest pause, in milliseconds. After a long job, the next one of the account must still begin within its limit. */
  readonly longestMs: number;
}

const usualPause: Pause = { factor: 4, longestMs: 500 };
const costlyPause: Pause = { factor: 19, longestMs: 1000 };
const noPause: Pause = { factor: 0, longestMs: 0 };

const usualWaitMs = 2000;
const maximumWaitingOfAccount = 100;
/** The number of waiting jobs of all accounts, whose data has at most 256 KiB each. */
const maximumWaiting = 400;

interface Waiting {
  readonly isOutsideShare: boolean;
  readonly start: () => void;
  readonly reject: () => void;
}

/** The waiting jobs of each account, the oldest first. The accounts are in the order of their turns. */
type Turns = Map<string, Set<Waiting>>;

export function createWorkerQueue({ now, after }: WorkerClock = processClock): WorkerQueue {
  const urgent: Turns = new Map();
  const background: Turns = new Map();
  /** The time at which an account's next job may start. */
  const pausedUntil = new Map<string, number>();
  let waiting = 0;
  let isRunning = false;
  let cancelWake: (() => void) | null = null;

  const remove = (turns: Turns, accountId: string, job: Waiting): boolean => {
    const jobs = turns.get(accountId);
    if (jobs?.delete(job) !== true) {
      return false;
    }
    waiting -= 1;
    if (jobs.size === 0) {
      turns.delete(accountId);
    }
    return true;
  };

  /** Starts the next job of the first account with a job that may start. */
  const startIn = (turns: Turns): boolean => {
    for (const [accountId, jobs] of turns) {
      const isPaused = (pausedUntil.get(accountId) ?? 0) > now();
      const job = [...jobs].find(({ isOutsideShare }) => isOutsideShare || !isPaused);
      if (job !== undefined) {
        remove(turns, accountId, job);
        if (turns.delete(accountId)) {
          turns.set(accountId, jobs);
        }
        isRunning = true;
        job.start();
        return true;
      }
    }
    return false;
  };

  const startNext = () => {
    cancelWake?.();
    cancelWake = null;
    if (isRunning || waiting === 0 || startIn(urgent) || startIn(background)) {
      return;
    }
    const accounts = [...urgent.keys(), ...background.keys()];
    const earliest = Math.min(...accounts.map((accountId) => pausedUntil.get(accountId) ?? 0));
    // Node timers may fire a millisecond early.
    cancelWake = after(Math.max(1, Math.ceil(earliest - now())), startNext);
  };

  const enter = (accountId: string, options: Required<Omit<JobOptions, 'isCostly'>>) =>
    new Promise<void>((resolve, reject) => {
      const { isBackground, isOutsideShare, maximumWaitMs } = options;
      const turns = isBackground ? background : urgent;
      const overloaded = () => {
        reject(
          new UnavailableError('too many schemas and events wait for a check', { retryAfterSeconds: 1 }),
        );
      };
      if (!makeRoom([urgent, background], accountId, waiting, remove)) {
        overloaded();
        return;
      }
      const job: Waiting = {
        isOutsideShare,
        start: () => {
          cancelTimeout();
          resolve();
        },
        reject: () => {
          cancelTimeout();
          overloaded();
        },
      };
      const cancelTimeout = after(maximumWaitMs, () => {
        if (remove(turns, accountId, job)) {
          overloaded();
        }
      });
      turns.set(accountId, (turns.get(accountId) ?? new Set()).add(job));
      waiting += 1;
      startNext();
    });

  const leave = (accountId: string, startedAt: number, { factor, longestMs }: Pause) => {
    const endedAt = now();
    for (const [paused, until] of pausedUntil) {
      if (until <= endedAt) {
        pausedUntil.delete(paused);
      }
    }
    const until = endedAt + Math.min((endedAt - startedAt) * factor, longestMs);
    pausedUntil.set(accountId, Math.max(until, pausedUntil.get(accountId) ?? 0));
    isRunning = false;
    startNext();
  };

  return {
    run: async (accountId, job, options = {}) => {
      const { isBackground = false, isOutsideShare = false, maximumWaitMs = usualWaitMs } = options;
      await enter(accountId, { isBackground, isOutsideShare, maximumWaitMs });
      const startedAt = now();
      try {
        return await job();
      } finally {
        leave(accountId, startedAt, pauseAfter(options));
      }
    },
  };
}

function pauseAfter({ isOutsideShare = false, isCostly = false }: JobOptions): Pause {
  return isOutsideShare ? noPause : isCostly ? costlyPause : usualPause;
}

/**
 * Whether another job of an account may wait. If the queue is full, the newest job of the account with the most waiting
 * jobs is rejected for an account with fewer jobs. So one account alone cannot fill the queue.
 */
function makeRoom(
  all: readonly Turns[],
  accountId: string,
  waiting: number,
  remove: (turns: Turns, accountId: string, job: Waiting) => boolean,
): boolean {
  const ofAccount = all.reduce((sum, turns) => sum + (turns.get(accountId)?.size ?? 0), 0);
  if (ofAccount >= maximumWaitingOfAccount) {
    return false;
  }
  if (waiting < maximumWaiting) {
    return true;
  }
  const queues = all.flatMap((turns) => [...turns].map(([key, jobs]) => ({ turns, key, jobs })));
  const [longest] = queues.toSorted((one, other) => other.jobs.size - one.jobs.size);
  const newest = longest === undefined ? undefined : [...longest.jobs].at(-1);
  if (longest === undefined || newest === undefined || longest.jobs.size <= ofAccount + 1) {
    return false;
  }
  remove(longest.turns, longest.key, newest);
  newest.reject();
  return true;
}
