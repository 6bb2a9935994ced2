import { failureOfAnswer } from './failure.js';
import type { Replay, ReplayOrDryRun } from './types.js';

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

/** The count in the answer to a dry run of a replay. */
export type ReplayCount = ReplayOrDryRun & {
  readonly matched: number;
  readonly complete: boolean;
  readonly until: string;
};

/** Whether the answer to a request for a replay is a replay. The schema of the answer has the fields of both results. */
export function isReplay(answer: ReplayOrDryRun): answer is ReplayOrDryRun & Replay {
  return answer.id !== undefined;
}

/**
 * The count in the answer to a dry run.
 * @throws Error if the answer has no count
 */
export function countIn(answer: ReplayOrDryRun): ReplayCount {
  if (!isCount(answer)) {
    throw new Error('The answer to a dry run has no count.');
  }
  return answer;
}

function isCount(answer: ReplayOrDryRun): answer is ReplayCount {
  const { matched, complete, until } = answer;
  return matched !== null && complete !== undefined && until !== undefined;
}
