import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from '../../shared/clock.js';
import type { DeliveryFact } from '../../shared/domain/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/event.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import { validAt } from '../../shared/domain/signingSecrets.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import { messageOf } from '../../shared/errors.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics.js';
import type { SecretBox } from '../../shared/secretBox.js';
import { deliveryRecords } from '../../shared/topics/deliveries.js';
import type { AttemptOutcome, HttpAttempt } from '../attempt/attempt.js';
import { attemptedFact, canceledFact } from './outcomeFacts.js';
import { payloadOf } from './payload.js';
import type { WebhookReader } from './webhookReader.js';
import type { WebhookSlots } from './webhookSlots.js';

export interface PairDependencies {
  readonly attempt: HttpAttempt['attempt'];
  readonly webhooks: WebhookReader;
  readonly slots: WebhookSlots;
  readonly log: LogAppender;
  readonly secrets: SecretBox;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** One event that has matched one webhook. */
export interface Pair {
  readonly event: AcceptedEvent;
  readonly webhook: Webhook;
}

/** Takes a pair to its outcome in the log; `abandoned` where the signal came before anything was begun. */
export type DeliverPair = (pair: Pair, signal: AbortSignal) => Promise<WorkResult>;

/** No attempt starts on a state of the webhook that was read longer ago. */
const freshStateMs = 250;
const pauseAfterFailureMs = 200;

/**
 * ```
 *   matched ──► waits for a slot ──► webhook read again ──┬─► attempt ──► .attempted acknowledged ──► done
 *                     │                                   └─► gone or disabled ──► .canceled acknowledged ──► done
 *                     └─ partition lost, or stopping ──► abandoned: whoever has it next begins anew
 * ```
 * A crash before the acknowledgement repeats the attempt; after it, whoever meets the event again finds the outcome.
 */
export function createDeliverPair(dependencies: PairDependencies): DeliverPair {
  const { webhooks, slots, logger } = dependencies;

  const currentWebhook = async ({ event, webhook }: Pair): Promise<Webhook | undefined> => {
    const freshAfter = performance.now() - freshStateMs;
    const snapshot = await webhooks.webhooksOf(event.accountId, event.mode, freshAfter);
    return snapshot.webhooks.find(({ id }) => id === webhook.id);
  };

  /** The fact that the pair has come to, or null where the partition was lost before anything was begun. */
  const begin = async (pair: Pair, signal: AbortSignal): Promise<DeliveryFact | null> => {
    while (!signal.aborted) {
      try {
        const webhook = await currentWebhook(pair);
        return webhook?.status === 'active'
          ? await attemptedBy(dependencies, { event: pair.event, webhook })
          : canceledFact(pair.webhook, webhook === undefined ? 'deleted' : 'disabled');
      } catch (error) {
        // Nothing was begun: the read model is away, or no key opens the secret. Neither is the receiver's failure.
        logger.warn({ webhookId: pair.webhook.id, error: messageOf(error) }, 'a delivery waits');
        await pause(pauseAfterFailureMs);
      }
    }
    return null;
  };

  return async (pair, signal) => {
    // The slot is for the exchange alone: the next one need not wait until the log has this one's outcome.
    const fact = await slots.run(pair.webhook.id, () => begin(pair, signal));
    if (fact === null) {
      return 'abandoned';
    }
    await appendOutcome(dependencies, pair.event, fact);
    return 'done';
  };
}

async function attemptedBy(dependencies: PairDependencies, pair: Pair): Promise<DeliveryFact> {
  const secrets = signingSecrets(dependencies, pair.webhook);
  const result = await attemptOnce(dependencies, pair, secrets);
  const attemptId = dependencies.identifiers.create('att', result.startedAt);
  dependencies.logger.info(logLineOf(pair, attemptId, result), 'attempt');
  return attemptedFact(pair.event, pair.webhook, attemptId, result);
}

function signingSecrets({ secrets, clock }: PairDependencies, webhook: Webhook): readonly Buffer[] {
  const now = clock();
  return validAt(webhook.secrets, now).map(({ secret }) => {
    const opened = secrets.open(secret, webhook.id);
    if (opened === null) {
      throw new Error(`the secret of ${webhook.id} cannot be opened with any of the encryption keys`);
    }
    return opened;
  });
}

async function attemptOnce(
  { attempt, metrics }: PairDependencies,
  { event, webhook }: Pair,
  secrets: readonly Buffer[],
): Promise<AttemptOutcome> {
  metrics.attemptsInFlight.inc();
  const result = await attempt({ url: webhook.url, eventId: event.id, body: payloadOf(event), secrets });
  metrics.attemptsInFlight.dec();
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  metrics.attempts.inc({ outcome: result.outcome, trigger: event.onlyWebhookId === null ? 'first' : 'test' });
  return result;
}

/** Appends an outcome until the log has it: the exchange has happened and is not made unhappened by an outage. */
async function appendOutcome(
  { log, identifiers, clock, logger }: PairDependencies,
  event: AcceptedEvent,
  fact: DeliveryFact,
): Promise<void> {
  const at = clock();
  const { id: key, accountId, mode } = event;
  const record = deliveryRecords.encode(fact, {
    id: identifiers.createRecordId(at),
    key,
    accountId,
    mode,
    at,
  });
  for (;;) {
    try {
      await log.append(record);
      return;
    } catch (error) {
      logger.warn({ eventId: key, error: messageOf(error) }, 'an outcome waits for the log');
      await pause(pauseAfterFailureMs);
    }
  }
}

/** Everything that is needed to answer: what happened to this delivery? */
function logLineOf(
  { event, webhook }: Pair,
  attemptId: string,
  result: AttemptOutcome,
): Record<string, unknown> {
  return {
    accountId: event.accountId,
    eventId: event.id,
    eventType: event.type,
    webhookId: webhook.id,
    url: webhook.url,
    attemptId,
    outcome: result.outcome,
    statusCode: result.statusCode,
    error: result.error?.code,
    durationMs: result.durationMs,
    sinceCreatedMs: result.finishedAt.getTime() - event.created.getTime(),
  };
}
