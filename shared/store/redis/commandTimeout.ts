import { messageOf } from '../../core/errors.js';

/**
 * The outcome of work as a value: its result, or an error if it fails or exceeds the limit.
 * If the process itself was blocked for longer than the limit, its answer may already be in the socket. Node runs
 * timers before it reads. So when the timer is due, arrived answers are read first, and only then does the call time
 * out. The time starts at the end of this turn of the event loop, when its commands are written.
 */
export function withCommandTimeout<Answer extends object>(
  work: Promise<Answer>,
  limitMs: number,
): Promise<Answer | Error> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const start = setImmediate(() => {
      timer = setTimeout(() => {
        setImmediate(() => {
          resolve(new Error(`Redis did not respond within ${limitMs} ms`));
        });
      }, limitMs);
    });
    const settle = (outcome: Answer | Error) => {
      clearImmediate(start);
      clearTimeout(timer);
      resolve(outcome);
    };
    work.then(settle, (error: unknown) => {
      settle(error instanceof Error ? error : new Error(messageOf(error)));
    });
  });
}
