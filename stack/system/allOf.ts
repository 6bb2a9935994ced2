import { messageOf } from '../../shared/core/errors.js';
import { StackError } from './errors.js';

/**
 * A `Promise.all` that waits until all promises have settled, so that no work continues after an error.
 * @throws the error of the one rejected promise, or a StackError with the messages of all errors
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
