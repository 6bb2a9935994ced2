import { parseRetryAfter } from '../../shared/domain/deliveries/retryAfter.js';
import { nextAttempt } from '../../shared/domain/deliveries/schedule.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { RetryRecord } from '../../shared/log/records/retry.js';
import type { AttemptOutcome } from '../http/httpAttempt.js';
import type { AutoDisable } from './autoDisable.js';
import type { DisableWebhook } from './disableWebhook.js';

/** What follows a failed attempt. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly at: Date }
  /** The schedule has no further attempt. */
  | { readonly kind: 'exhausted' }
  /** The webhook was disabled, which cancels its deliveries. */
  | { readonly kind: 'gone' };

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

/** The status 410, by which a receiver asks clients to send no further requests (RFC 9110 section 15.5.11). */
const goneStatus = 410;

/**
 * The policy that decides what follows a failed attempt: the next attempt of the schedule, or a later time if the
 * receiver has sent `Retry-After`. A test delivery has one attempt only.
 *
 * A 410 disables the webhook before the outcome is recorded. A crash between the disabling and the outcome repeats the
 * attempt. If the outcome were recorded first, the crash would leave the webhook active. A 410 of an earlier URL is a
 * failure like any other: the next attempt is made at the new URL.
 */
export function createRetryPolicy(dependencies: RetryPolicyDependencies): RetryPolicy {
  const { disableWebhook, autoDisable } = dependencies;
  return async (job, webhook, result) => {
    if (result.statusCode === goneStatus && (await disableWebhook.gone(webhook))) {
      return { kind: 'gone' };
    }
    const at = nextAttemptAt(dependencies, job, result);
    const isExhausted = at === null && job.trigger !== 'test';
    autoDisable.notice(webhook, { eventId: job.eventId, at: result.startedAt, isExhausted });
    return at === null ? { kind: 'exhausted' } : { kind: 'retry', at };
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
