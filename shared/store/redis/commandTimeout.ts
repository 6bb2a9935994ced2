import { messageOf } from '../../core/errors.js';

/**
 * The outcome of a Redis command as a value: its answer, or an error if the command fails or exceeds the time limit.
 * After the process was blocked for longer than the limit, the answer may already be in the socket. Node runs timers
 * before it reads sockets. So when the timer fires, arrived answers are read first, before the command times out. The
 * time limit starts at the end of the current turn of the event loop, when the client writes the command.
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
