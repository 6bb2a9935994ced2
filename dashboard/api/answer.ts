import { failureOfAnswer } from './failure.js';

interface FetchAnswer<Value> {
  readonly data?: Value | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The value in the answer to an API request.
 * @throws RequestFailure if the answer is an error
 */
export async function answerOf<Value>(call: Promise<FetchAnswer<Value>>): Promise<Value> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) {
    return data;
  }
  throw failureOfAnswer(response.status, error);
}
