import { parseRetryAfter } from '../../shared/domain/retryAfter.js';
import { nextAttempt } from '../../shared/domain/schedule.js';
import type { AttemptOutcome } from '../attempt/attempt.js';
import type { Pair } from './pair.js';

/** When the pair is attempted again after this failure; null where its cycle ends with it. */
export type AfterFailure = (pair: Pair, result: AttemptOutcome) => Promise<Date | null>;

export interface AfterFailureDependencies {
  /** The delays between the attempts of a cycle, in milliseconds. */
  readonly scheduleMs: readonly number[];
  readonly random: () => number;
}

/**
 * Decides what follows from a failed attempt: the next one of the schedule, later where the receiver has asked for it.
 * A test delivery is one attempt, whatever comes of it.
 */
export function createAfterFailure({ scheduleMs, random }: AfterFailureDependencies): AfterFailure {
  return ({ trigger, attemptsMade }, { retryAfter, finishedAt }) =>
    Promise.resolve(
      trigger === 'test'
        ? null
        : nextAttempt(
            scheduleMs,
            {
              attemptsMade: attemptsMade + 1,
              failedAt: finishedAt,
              retryAfter: retryAfter === null ? null : parseRetryAfter(retryAfter, finishedAt),
            },
            random,
          ),
    );
}
