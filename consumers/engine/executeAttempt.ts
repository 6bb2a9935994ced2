import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { attemptTriggers, type DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { WebhookOptions } from '../../shared/domain/webhooks/options.js';
import { contentTypeOf, requestBody } from '../../shared/domain/webhooks/requestBody.js';
import { validSecrets, type SealedSecret } from '../../shared/domain/webhooks/signingSecrets.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { SecretBox } from '../../shared/security/secretBox.js';
import type { AttemptOutcome, AttemptRequest, HttpAttempt } from '../http/httpAttempt.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { EventContent } from '../lookups/eventStates.js';
import type { AutoDisable } from '../retry/autoDisable.js';
import type { RetryPolicy } from '../retry/retryPolicy.js';
import type { Authenticate } from './authenticate.js';
import type { DeliveryJob } from './deliveryJob.js';
import { attemptedFact, goneFacts } from './outcomeFacts.js';

/** The result of an attempt, or of a job that was canceled instead. */
export interface AttemptResult {
  /** The facts that are appended to the log together. */
  readonly facts: readonly [DeliveryFact, ...DeliveryFact[]];
  /** When the next attempt is due, or null if no attempt follows. */
  readonly nextAttemptAt: Date | null;
}

/**
 * The execution of one attempt, and the decision whether another attempt follows. Returns null if this process aborted
 * the request while it stopped, because an aborted request is no failure of the receiver.
 * @param confirm rejects if the attempt must not be made after a wait, see `AttemptRequest`
 * @throws Error before the request, if a secret or a credential cannot be opened
 * @throws UnavailableError if the attempt has no outcome: `confirm` has rejected, or the egress proxy is at fault
 */
export type ExecuteAttempt = (
  job: DeliveryJob,
  webhook: Webhook,
  content: EventContent,
  confirm: () => Promise<void>,
) => Promise<AttemptResult | null>;

export interface ExecuteAttemptDependencies {
  readonly attempt: HttpAttempt['attempt'];
  readonly latencyTracker: Pick<LatencyTracker, 'timed'>;
  /** The signal that is aborted when this process closes its connections, with or without requests in flight. */
  readonly closing: AbortSignal;
  readonly retryPolicy: RetryPolicy;
  readonly autoDisable: Pick<AutoDisable, 'succeeded'>;
  readonly signingKeys: SigningKeys;
  readonly authenticate: Authenticate;
  readonly identifiers: Identifiers;
  readonly metrics: Pick<Metrics, 'attempts' | 'attemptSeconds' | 'attemptsInFlight'>;
  readonly logger: Logger;
}

export function createExecuteAttempt(dependencies: ExecuteAttemptDependencies): ExecuteAttempt {
  const { attempt, latencyTracker, closing, retryPolicy, autoDisable } = dependencies;
  const { signingKeys, authenticate, identifiers, metrics, logger } = dependencies;
  // Each metric series exists before its first attempt, because Prometheus sees no increase in the first sample.
  for (const trigger of attemptTriggers) {
    metrics.attempts.inc({ outcome: 'succeeded', trigger }, 0);
    metrics.attempts.inc({ outcome: 'failed', trigger }, 0);
  }

  const stepAfter = async (job: DeliveryJob, webhook: Webhook, result: AttemptOutcome) => {
    if (result.outcome === 'failed') {
      return retryPolicy(job, webhook, result);
    }
    autoDisable.succeeded(webhook.id);
    return null;
  };

  return async (job, webhook, content, confirm) => {
    const { eventId, webhookId } = job;
    const { url, version: webhookVersion } = webhook;
    const body = requestBody(content, webhook);
    const secrets = signingKeys(webhook);
    const authenticated = authenticate(webhook);
    const request = withOptions({ url, eventId, body, secrets }, webhook);
    const sent = authenticated === null ? request : { ...request, ...authenticated.request, confirm };
    metrics.attemptsInFlight.inc();
    const result = await latencyTracker
      .timed(
        webhookId,
        () => attempt(sent),
        ({ error }) => error?.code !== 'timeout' && error?.code !== 'auth_failed',
      )
      .finally(() => {
        metrics.attemptsInFlight.dec();
      });
    authenticated?.answered(result.statusCode);
    if (result.outcome === 'failed' && closing.aborted) {
      return null;
    }
    metrics.attemptSeconds.observe(result.durationMs / 1000);
    metrics.attempts.inc({ outcome: result.outcome, trigger: job.trigger });
    const step = await stepAfter(job, webhook, result);
    const nextAttemptAt = step?.kind === 'retry' ? step.at : null;
    const attemptId = identifiers.create('att', result.startedAt);
    logger.info(logLineOf({ job, webhook, content, result, attemptId, nextAttemptAt }), 'attempt');
    const made = { attemptId, url, webhookVersion, eventType: content.type };
    return step?.kind === 'gone'
      ? { facts: goneFacts(job, made, result), nextAttemptAt }
      : { facts: [attemptedFact(job, made, result, nextAttemptAt)], nextAttemptAt };
  };
}

/** A request with the options of its webhook. Documents of earlier versions may have no value for an option. */
function withOptions(
  request: AttemptRequest,
  { options }: { readonly options?: Partial<WebhookOptions> | null },
): AttemptRequest {
  return options === null || options === undefined ? request : { ...request, ...exchangeOptions(options) };
}

function exchangeOptions({ signatureHeaderPrefix, format, timeoutSeconds }: Partial<WebhookOptions>) {
  return {
    signatureHeaderPrefix: signatureHeaderPrefix ?? undefined,
    contentType: contentTypeOf(format),
    timeoutMs: typeof timeoutSeconds === 'number' ? timeoutSeconds * 1000 : undefined,
  };
}

interface LoggedAttempt {
  readonly job: DeliveryJob;
  readonly webhook: Webhook;
  readonly content: EventContent;
  readonly result: AttemptOutcome;
  readonly attemptId: string;
  readonly nextAttemptAt: Date | null;
}

/**
 * The log line that answers what happened to a delivery. The function names each field, because V8 takes 7 µs instead
 * of 0.1 µs to add this many fields after a spread.
 */
function logLineOf({ job, webhook, content, result, attemptId, nextAttemptAt }: LoggedAttempt) {
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
    requests: result.requests,
    attemptId,
    eventType: content.type,
    url: withoutQuery(webhook.url),
    sinceCreatedMs: result.finishedAt.getTime() - content.created.getTime(),
    nextAttemptAt,
  };
}

/** A URL for logs. Many receivers are authenticated by a parameter of the query. */
function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? url : `${url.slice(0, at)}?***`;
}

/**
 * The valid secrets of a webhook, as bytes.
 * @throws Error if none of the encryption keys opens a secret
 */
export type SigningKeys = (webhook: Pick<Webhook, 'id' | 'secrets'>) => readonly Buffer[];

/**
 * A cache of opened secrets, because opening a secret costs CPU time. An opened secret lives as long as the webhook
 * state that contains the sealed secret.
 */
export function createSigningKeys({ secrets, clock }: { secrets: SecretBox; clock: Clock }): SigningKeys {
  const opened = new WeakMap<SealedSecret, Buffer>();

  const open = (sealed: SealedSecret, webhookId: string): Buffer => {
    const bytes = opened.get(sealed) ?? secrets.open(sealed, webhookId);
    if (bytes === null) {
      throw new Error(`none of the encryption keys opens the secret of the webhook ${webhookId}`);
    }
    opened.set(sealed, bytes);
    return bytes;
  };

  return ({ id, secrets: sealed }) => validSecrets(sealed, clock()).map(({ secret }) => open(secret, id));
}
