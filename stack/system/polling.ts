import { setTimeout as pause } from 'node:timers/promises';

const pauseMs = 20;

/**
 * Asks `probe` again and again until it answers `true`.
 * @returns false if `timeoutMs` passed before, or if `signal` was aborted
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
