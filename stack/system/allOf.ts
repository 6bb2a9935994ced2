import { messageOf } from '../../shared/core/errors.js';
import { StackError } from './errors.js';

/**
 * `Promise.all`, but it waits until all of them have ended, so that no work continues after an error.
 * @throws the one error; if there are several, a StackError with the messages of all
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
