import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { AttemptOutcome, HttpAttempt } from '../http/httpAttempt.js';
import { attemptedFact, goneFacts } from './outcomeFacts.js';
import type { RetryPolicy } from '../retry/retryPolicy.js';
import type { EventContent } from '../lookups/eventStates.js';
import type { DeliveryJob } from './deliveryJob.js';
import type { SigningKeys } from './signingKeys.js';
import { attemptTriggers, type DeliveryFact } from '../../shared/domain/deliveries/delivery.js';

/** What a pair has come to: facts to be recorded together, and when the next attempt is due, null for never. */
export interface AttemptResult {
  readonly facts: readonly [DeliveryFact, ...DeliveryFact[]];
  readonly nextAttemptAt: Date | null;
}

/**
 * Makes one attempt of a pair and decides what follows from it. Null where it was cut off by our own end, which says
 * nothing about the receiver.
 * @throws where a secret cannot be opened: nothing was begun then
 */
export type ExecuteAttempt = (
  job: DeliveryJob,
  webhook: Webhook,
  content: EventContent,
) => Promise<AttemptResult | null>;

export interface ExecuteAttemptDependencies {
  readonly attempt: HttpAttempt['attempt'];
  readonly latencyTracker: Pick<LatencyTracker, 'timed'>;
  /** Aborted when connections are closed under what is in flight. */
  readonly closing: AbortSignal;
  readonly retryPolicy: RetryPolicy;
  readonly signingKeys: SigningKeys;
  readonly identifiers: Identifiers;
  readonly metrics: Pick<Metrics, 'attempts' | 'attemptSeconds' | 'attemptsInFlight'>;
  readonly logger: Logger;
}

export function createExecuteAttempt(dependencies: ExecuteAttemptDependencies): ExecuteAttempt {
  const { attempt, latencyTracker, closing, retryPolicy, signingKeys, identifiers, metrics, logger } =
    dependencies;
  // A series that begins with its first attempt shows no increase for it.
  for (const trigger of attemptTriggers) {
    metrics.attempts.inc({ outcome: 'succeeded', trigger }, 0);
    metrics.attempts.inc({ outcome: 'failed', trigger }, 0);
  }

  const exchange = async (
    job: DeliveryJob,
    webhook: Webhook,
    content: EventContent,
  ): Promise<AttemptOutcome> => {
    const { url } = webhook;
    const body = payloadOf(content);
    const secrets = signingKeys(webhook);
    metrics.attemptsInFlight.inc();
    try {
      return await latencyTracker.timed(webhook.id, () =>
        attempt({ url, eventId: job.eventId, body, secrets }),
      );
    } finally {
      metrics.attemptsInFlight.dec();
    }
  };

  return async (job, webhook, content) => {
    const result = await exchange(job, webhook, content);
    if (result.outcome === 'failed' && closing.aborted) {
      return null;
    }
    metrics.attemptSeconds.observe(result.durationMs / 1000);
    metrics.attempts.inc({ outcome: result.outcome, trigger: job.trigger });
    const step = result.outcome === 'failed' ? await retryPolicy(job, webhook, result) : null;
    const nextAttemptAt = step?.kind === 'retry' ? step.at : null;
    const attemptId = identifiers.create('att', result.startedAt);
    logger.info(logLineOf({ job, webhook, content, result, attemptId, nextAttemptAt }), 'attempt');
    return step?.kind === 'gone'
      ? { facts: goneFacts(job, attemptId, result), nextAttemptAt }
      : { facts: [attemptedFact(job, attemptId, result, nextAttemptAt)], nextAttemptAt };
  };
}

interface Made {
  readonly job: DeliveryJob;
  readonly webhook: Webhook;
  readonly content: EventContent;
  readonly result: AttemptOutcome;
  readonly attemptId: string;
  readonly nextAttemptAt: Date | null;
}

/**
 * Everything that is needed to answer: what happened to this delivery? Named one by one: behind a spread V8 adds so many fields one
 * after the other, which takes 7 µs instead of 0.1.
 */
function logLineOf({ job, webhook, content, result, attemptId, nextAttemptAt }: Made) {
  return {
    accountId: job.accountId,
    eventId: job.eventId,
    webhookId: job.webhookId,
    cycle: job.cycle,
    number: job.number,
    trigger: job.trigger,
    epoch: job.epoch,
    replayId: job.replayId,
    outcome: result.outcome,
    statusCode: result.statusCode,
    error: result.error?.code,
    durationMs: result.durationMs,
    attemptId,
    eventType: content.type,
    url: webhook.url,
    sinceCreatedMs: result.finishedAt.getTime() - content.created.getTime(),
    nextAttemptAt,
  };
}

/** The body that a webhook receives. `data` stands in it byte for byte as the client sent it. */
export function payloadOf({ id, type, created, data }: EventContent): Buffer {
  const head = `{"id":"${id}","type":"${type}","timestamp":"${created.toISOString()}","data":`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from('}')]);
}
