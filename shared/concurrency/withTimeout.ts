import { UnavailableError } from '../core/errors.js';

/**
 * The result of work that has a time limit.
 * @throws UnavailableError where it comes too late; the work itself goes on, and what becomes of it is nobody's concern
 */
export async function withTimeout<Result>(
  work: Promise<Result>,
  limitMs: number,
  late: string,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new UnavailableError(late));
    }, limitMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
