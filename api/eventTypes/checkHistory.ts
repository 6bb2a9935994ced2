/** How the last checks of a program ended, in each place with a small budget. */
export interface CheckHistory {
  readonly main: Attempts;
  readonly quick: Attempts;
}

/** The outcome of the last checks of a program in one place. */
export interface Attempts {
  /** The number of successive checks that have exhausted their budget. */
  exhausted: number;
  /** The time from which a check is tried again, by `performance.now()`. */
  tryAt: number;
  /** The time from the next try to the one after it, in milliseconds. */
  pauseMs: number;
}

/** The number of successive exhausted budgets after which checks begin in the next place. */
const maximumExhausted = 3;
/**
 * A check is tried again after a second, and after twice the time whenever it is tried again. So data that is always too
 * costly takes almost no time of other accounts, and a type recovers within a minute.
 */
const [firstPauseMs, longestPauseMs] = [1000, 60_000];

export function createCheckHistory(): CheckHistory {
  const attempts = () => ({ exhausted: 0, tryAt: 0, pauseMs: firstPauseMs });
  return { main: attempts(), quick: attempts() };
}

/** Whether a check may be tried in a place. After several exhausted budgets, it is seldom tried. */
export function mayTry(attempts: Attempts, now: number): boolean {
  if (attempts.exhausted < maximumExhausted) {
    return true;
  }
  if (now < attempts.tryAt) {
    return false;
  }
  attempts.tryAt = now + attempts.pauseMs;
  attempts.pauseMs = Math.min(longestPauseMs, attempts.pauseMs * 2);
  return true;
}

/** Counts a check that was tried. */
export function countCheck(attempts: Attempts, isExhausted: boolean): void {
  attempts.exhausted = isExhausted ? attempts.exhausted + 1 : 0;
  if (!isExhausted) {
    attempts.pauseMs = firstPauseMs;
  }
}
