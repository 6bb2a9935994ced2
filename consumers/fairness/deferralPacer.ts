/** When the deferred attempts of one queue may return, as milliseconds of a monotonic clock. */
export interface PacerState {
  /** The last due time that was given. */
  readonly slot: number;
  /** The last one that was given at the bound. */
  readonly boundSlot: number;
}

export interface ReturnRequest {
  /** Between two attempts of the queue: the mean time of an exchange by the number at once. */
  readonly intervalMs: number;
  /** Whether the attempt was deferred before, and has found the queue too long again. */
  readonly isReturn: boolean;
}

/** No attempt is deferred for less: a shorter wait is for the queue in memory. */
export const shortestDeferralMs = 5_000;
/** A webhook may recover at any time: what waits for it is not put off for longer, unless too much waits. */
export const longestDeferralMs = 30 * 60_000;
/** Between two attempts that return for nothing: 50 a second, however many wait for a webhook that hangs. */
const returnIntervalMs = 20;
/** Between any two attempts that return, however fast the webhook answers. */
const shortestIntervalMs = 1;

/**
 * The next due time of a queue: one interval behind the last one, so that deferred attempts return as fast as they can be made.
 *
 * ```
 *   now ───── 5 s ──────── due times, one an interval ──────── bound ── or later: 20 ms more for each return ──►
 *              └ due at the earliest                           └ due at the latest
 * ```
 * A webhook that hangs would have due times for weeks ahead, and be found recovered as late. So due times end at a bound, and
 * what returns from there returns for nothing. Each return moves the bound by 20 ms, and time takes that back: if more
 * than 50 a second return for long, the bound moves away until fewer do. Their number need not be known, which no process
 * could count: others, and earlier ones, have deferred attempts too.
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

/** Says when deferred attempts return. */
export interface DeferralPacer {
  /** Takes the next due time of a queue: in how many milliseconds it is. */
  readonly untilReturnMs: (queue: string, request: ReturnRequest) => number;
}

/** Ended queues are looked for when there are so many more than the last search has left. */
const searchedAfter = 1000;

/**
 * @param now milliseconds of a monotonic clock
 * @param longestMs the bound of each queue's due times, unless too much waits
 */
export function createDeferralPacer(now: () => number, longestMs = longestDeferralMs): DeferralPacer {
  const states = new Map<string, PacerState>();
  let searchAt = searchedAfter;

  const forgetEnded = () => {
    const time = now();
    for (const [queue, { slot }] of states) {
      if (slot < time) {
        states.delete(queue);
      }
    }
    searchAt = 2 * states.size + searchedAfter;
  };

  return {
    untilReturnMs: (queue, request) => {
      const time = now();
      const { due, state } = nextReturn(states.get(queue) ?? null, time, { ...request, longestMs });
      states.set(queue, state);
      if (states.size >= searchAt) {
        forgetEnded();
      }
      return due - time;
    },
  };
}
