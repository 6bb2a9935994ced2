import { createKeyedSemaphore } from '../../shared/concurrency/keyedSemaphore.js';

/** The same work, done at most so many times at once; whoever comes first is first. */
export function limitConcurrency<Argument, Result>(
  maximum: number,
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const webhookSemaphore = createKeyedSemaphore(maximum);
  return (argument) => webhookSemaphore.run('everyone', () => work(argument));
}
