import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 10;

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
  while (Date.now() < deadline) {
    try {
      const result = await condition();
      if (result !== null) {
        return result;
      }
    } catch (error) {
      lastFailure = `; last failure: ${String(error)}`;
    }
    await pause(pollMs);
  }
  throw new Error(`${what} did not happen within ${timeoutMs} ms${lastFailure}`);
}
