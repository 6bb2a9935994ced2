import { setTimeout as pause } from 'node:timers/promises';

const pauseMs = 20;

/**
 * Calls `probe` repeatedly until `probe` returns `true`.
 * @returns false if `timeoutMs` has passed before, or if `signal` was aborted
 */
export async function until(
  probe: () => boolean | Promise<boolean>,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (signal?.aborted === true) {
      return false;
    }
    if (await probe()) {
      return true;
    }
    if (Date.now() >= deadline) {
      return false;
    }
    await pause(pauseMs);
  }
}
