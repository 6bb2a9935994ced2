import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import { StackError } from './errors.js';

const pauseMs = 20;

/**
 * Asks `probe` again and again until it answers `true`.
 * @returns false where `timeoutMs` passed before, or `signal` was aborted
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

/**
 * `Promise.all`, but it lets everything come to its end first, so that nothing goes on behind an error's back.
 * @throws the one error; StackError with the messages of all where there are several
 */
export async function allOf<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const results = await Promise.allSettled(work);
  const problems = results
    .filter((result) => result.status === 'rejected')
    .map(({ reason }): unknown => reason);
  if (problems.length > 1) {
    throw new StackError(problems.map(messageOf).join('\n\n'), { cause: new AggregateError(problems) });
  }
  return Promise.all(work);
}
