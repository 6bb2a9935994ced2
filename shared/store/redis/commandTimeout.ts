import { messageOf } from '../../core/errors.js';

/**
 * The outcome of work as a value: what it resolves with, or an error where it fails or takes longer than the limit.
 *
 * A process that was itself held up for longer than the limit has the answer lying in its socket: Node runs timers
 * before it reads. So once the timer is due, what has arrived is read first, and only then is the answer late. And the time
 * runs from the end of this turn of the event loop on, which is when its commands are written.
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
          resolve(new Error(`no answer within ${limitMs} ms`));
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
