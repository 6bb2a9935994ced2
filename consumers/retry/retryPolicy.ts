import { parseRetryAfter } from '../../shared/domain/deliveries/retryAfter.js';
import { nextAttempt } from '../../shared/domain/deliveries/schedule.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { AttemptOutcome } from '../http/httpAttempt.js';
import type { DisableWebhook } from './disableWebhook.js';
import type { AutoDisable } from './autoDisable.js';
import type { RetryRecord } from '../../shared/log/records/retry.js';

/** What follows from a failed attempt: another one, none, or the end of all that waits for the webhook. */
export type RetryDecision =
  { readonly kind: 'retry'; readonly at: Date } | { readonly kind: 'last' } | { readonly kind: 'gone' };

export type RetryPolicy = (
  job: Pick<RetryRecord, 'eventId' | 'trigger' | 'attemptsMade'>,
  webhook: Webhook,
  result: AttemptOutcome,
) => Promise<RetryDecision>;

export interface RetryPolicyDependencies {
  /** The delays between the attempts of a cycle, in milliseconds. */
  readonly scheduleMs: readonly number[];
  readonly random: () => number;
  readonly disableWebhook: Pick<DisableWebhook, 'gone'>;
  readonly autoDisable: Pick<AutoDisable, 'notice'>;
}

/** RFC 9110 section 15.5.11: the receiver asks that nobody comes again. */
const goneStatus = 410;

/**
 * Decides what follows from a failed attempt: the next one of the schedule, later where the receiver has asked for it.
 * A test delivery is one attempt, whatever comes of it. A 410 disables the webhook before its outcome is recorded: a
 * crash between the two repeats the attempt, and in the other order it would leave the webhook active.
 */
export function createRetryPolicy(dependencies: RetryPolicyDependencies): RetryPolicy {
  const { disableWebhook, autoDisable } = dependencies;
  return async (job, webhook, result) => {
    if (result.statusCode === goneStatus) {
      await disableWebhook.gone(webhook);
      return { kind: 'gone' };
    }
    autoDisable.notice(webhook, { eventId: job.eventId, at: result.startedAt });
    const at = nextAttemptAt(dependencies, job, result);
    return at === null ? { kind: 'last' } : { kind: 'retry', at };
  };
}

function nextAttemptAt(
  { scheduleMs, random }: RetryPolicyDependencies,
  { trigger, attemptsMade }: Pick<RetryRecord, 'trigger' | 'attemptsMade'>,
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
