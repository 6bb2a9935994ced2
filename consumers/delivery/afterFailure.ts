import { parseRetryAfter } from '../../shared/domain/retryAfter.js';
import { nextAttempt } from '../../shared/domain/schedule.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import type { AttemptOutcome } from '../attempt/attempt.js';
import type { DisableWebhook } from '../disabling/disableWebhook.js';
import type { FailingWatch } from '../disabling/failingWatch.js';
import type { Pair } from './pair.js';

/** What follows from a failed attempt: another one, none, or the end of all that waits for the webhook. */
export type AfterFailureStep =
  { readonly kind: 'retry'; readonly at: Date } | { readonly kind: 'last' } | { readonly kind: 'gone' };

export type AfterFailure = (
  pair: Pair,
  webhook: Webhook,
  result: AttemptOutcome,
) => Promise<AfterFailureStep>;

export interface AfterFailureDependencies {
  /** The delays between the attempts of a cycle, in milliseconds. */
  readonly scheduleMs: readonly number[];
  readonly random: () => number;
  readonly disableWebhook: Pick<DisableWebhook, 'gone'>;
  readonly failingWatch: Pick<FailingWatch, 'notice'>;
}

/** RFC 9110 section 15.5.11: the receiver asks that nobody comes again. */
const goneStatus = 410;

/**
 * Decides what follows from a failed attempt: the next one of the schedule, later where the receiver has asked for it.
 * A test delivery is one attempt, whatever comes of it. A 410 disables the webhook before its outcome is recorded: a
 * crash between the two repeats the attempt, and in the other order it would leave the webhook active.
 */
export function createAfterFailure(dependencies: AfterFailureDependencies): AfterFailure {
  const { disableWebhook, failingWatch } = dependencies;
  return async (pair, webhook, result) => {
    if (result.statusCode === goneStatus) {
      await disableWebhook.gone(webhook);
      return { kind: 'gone' };
    }
    failingWatch.notice(webhook, { eventId: pair.eventId, at: result.startedAt });
    const at = nextAttemptAt(dependencies, pair, result);
    return at === null ? { kind: 'last' } : { kind: 'retry', at };
  };
}

function nextAttemptAt(
  { scheduleMs, random }: AfterFailureDependencies,
  { trigger, attemptsMade }: Pair,
  { retryAfter, finishedAt: failedAt }: AttemptOutcome,
): Date | null {
  if (trigger === 'test') {
    return null;
  }
  return nextAttempt(
    scheduleMs,
    {
      attemptsMade: attemptsMade + 1,
      failedAt,
      retryAfter: retryAfter === null ? null : parseRetryAfter(retryAfter, failedAt),
    },
    random,
  );
}
