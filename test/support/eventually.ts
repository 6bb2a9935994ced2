import { setTimeout as pause } from 'node:timers/promises';

/** The first pauses are short, because most conditions hold soon. The later ones leave the processor to the work itself. */
const [shortestPauseMs, longestPauseMs] = [10, 50];

/**
 * Waits until a condition returns a value other than null, and returns that value.
 * @throws Error with the awaited condition and the last failure, after the deadline
 */
export async function eventually<Result>(
  what: string,
  condition: () => Promise<Result | null> | Result | null,
  timeoutMs = 60_000,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  let lastFailure = '';
  let pauseMs = shortestPauseMs;
  while (Date.now() < deadline) {
    try {
      const result = await condition();
      if (result !== null) {
        return result;
      }
    } catch (error) {
      lastFailure = `; last failure: ${String(error)}`;
    }
    await pause(pauseMs);
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.2);
  }
  throw new Error(`${what} did not happen within ${timeoutMs} ms${lastFailure}`);
}
