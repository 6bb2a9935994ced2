/** When the deferred attempts of one queue (a webhook or a latency class) may return, by a monotonic clock. */
export interface PacerState {
  /** The due time that the queue gave last. */
  readonly slot: number;
  /** The last due time that was at the bound of the queue. */
  readonly boundSlot: number;
}

export interface ReturnRequest {
  /** The time between two attempts of the queue: the mean time of an exchange divided by the concurrency. */
  readonly intervalMs: number;
  /** Whether the attempt was deferred before, returned, and has found the queue too long again. */
  readonly isReturn: boolean;
}

/** The shortest deferral, in milliseconds. An attempt that must wait for less time waits in memory. */
export const shortestDeferralMs = 5_000;
/**
 * The bound of a deferral, in milliseconds, which ensures that the recovery of a webhook is noticed. The bound grows if
 * too many attempts return too early.
 */
export const longestDeferralMs = 30 * 60_000;
/** The interval of attempts that return too early: 50 a second, however many attempts wait for a webhook that hangs. */
const returnIntervalMs = 20;
/** The shortest interval between two returns, no matter how fast the webhook answers. */
const shortestIntervalMs = 1;

/**
 * The next due time of a queue: one interval after the last due time. So deferred attempts return as fast as the
 * webhook takes them.
 *
 * ```
 *   now ───── 5 s ──────── due times, one an interval ──────── bound ── or later: 20 ms more for each return ──►
 *              └ due at the earliest                           └ due at the latest
 * ```
 * A webhook that hangs would have due times weeks ahead, and its recovery would be noticed weeks late. So due times end
 * at a bound, and attempts that return at the bound may find the webhook still busy. Each return to a busy webhook
 * moves the bound by 20 ms, and the passing time brings the bound closer. So the bound grows until at most 50 attempts
 * a second return. No process needs to know how many attempts are deferred.
 */
export function nextReturn(
  state: PacerState | null,
  now: number,
  { intervalMs, isReturn, longestMs = longestDeferralMs }: ReturnRequest & { readonly longestMs?: number },
): { readonly due: number; readonly state: PacerState } {
  const last = state ?? { slot: now, boundSlot: now };
  const slot = Math.max(last.slot, now) + Math.max(intervalMs, shortestIntervalMs);
  const movedBound = last.boundSlot + (isReturn ? returnIntervalMs : 0);
  const bound = Math.max(movedBound, now + longestMs);
  return slot < bound
    ? { due: Math.max(slot, now + shortestDeferralMs), state: { ...last, slot } }
    : { due: bound, state: { slot: bound, boundSlot: bound } };
}

export interface DeferralPacer {
  /** Takes the next due time of a queue, and returns the milliseconds until that due time. */
  readonly untilReturnMs: (queue: string, request: ReturnRequest) => number;
}

/** The number of new queues after which expired queues are evicted. */
const newQueuesPerEviction = 1000;

/**
 * @param now milliseconds of a monotonic clock
 * @param longestMs the bound of each queue's due times, before it grows
 */
export function createDeferralPacer(now: () => number, longestMs = longestDeferralMs): DeferralPacer {
  const states = new Map<string, PacerState>();
  let evictAt = newQueuesPerEviction;

  const evictExpired = () => {
    const time = now();
    for (const [queue, { slot }] of states) {
      if (slot < time) {
        states.delete(queue);
      }
    }
    evictAt = 2 * states.size + newQueuesPerEviction;
  };

  return {
    untilReturnMs: (queue, request) => {
      const time = now();
      const { due, state } = nextReturn(states.get(queue) ?? null, time, { ...request, longestMs });
      states.set(queue, state);
      if (states.size >= evictAt) {
        evictExpired();
      }
      return due - time;
    },
  };
}
