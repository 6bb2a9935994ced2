import { createKeyedSemaphore } from '../../shared/keyedSemaphore.js';

/** The same work, done at most so many times at once; whoever comes first is first. */
export function limited<Argument, Result>(
  maximum: number,
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const lines = createKeyedSemaphore(maximum);
  return (argument) => lines.run('everyone', () => work(argument));
}
