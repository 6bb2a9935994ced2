import { UnavailableError } from '../core/errors.js';

/**
 * The result of work with a time limit.
 * @throws UnavailableError if the work exceeds the limit. After the time limit, the work continues, and its result is
 *   ignored.
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
