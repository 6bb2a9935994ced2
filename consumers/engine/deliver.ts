import { setTimeout as pause } from 'node:timers/promises';

import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import { isProgrammingError, messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { cancelationOf } from '../../shared/domain/deliveries/nextStep.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { WorkInFlight } from '../../shared/log/window/workInFlight.js';
import type { AttemptAdmission } from '../fairness/attemptAdmission.js';
import type { Deferral } from '../fairness/deferrals.js';
import type { EventContent } from '../lookups/eventStates.js';
import type { WebhookReader, WebhookState } from '../lookups/webhookReader.js';
import { attemptKey, type DeliveryJob, type JobOrigin } from './deliveryJob.js';
import type { AttemptResult, ExecuteAttempt } from './executeAttempt.js';
import type { InFlightRegistry, InFlightResult } from './inFlightRegistry.js';
import type { OutcomeBackpressure } from './outcomeBackpressure.js';
import { canceledFact, deferredFact, type CancelReason } from './outcomeFacts.js';
import { createScheduleOnce, type OutcomeLog } from './outcomeLog.js';

export interface DeliverDependencies {
  readonly executeAttempt: ExecuteAttempt;
  readonly webhooks: Pick<WebhookReader, 'webhookOf'>;
  readonly admission: AttemptAdmission;
  readonly pausableAttempts: Pick<PausableAttempts, 'run' | 'whenReleased'>;
  readonly inFlight: InFlightRegistry;
  readonly backpressure: OutcomeBackpressure;
  readonly log: OutcomeLog;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds of the monotonic clock that the reads of webhooks are stamped with. */
  readonly now: () => number;
}

/**
 * The delivery of one attempt, which appends the outcome, a cancelation or a deferral to the log, and the next retry
 * record.
 * @returns `done` if the log has the records of the attempt, `abandoned` if the partition was lost or this process has
 * aborted the request
 * @throws UnavailableError if the webhook or the content of the event cannot be read for half a minute
 */
export type Deliver = (job: DeliveryJob, origin: JobOrigin, signal: AbortSignal) => Promise<WorkResult>;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/** The failures of one job after which the consumer tries the source record again: about half a minute. */
const maximumFailures = 10;
/** The most repeated reads of a webhook, if each read takes longer than its result is valid. */
const maximumReads = 3;

/**
 * The path of a delivery job:
 *
 * ```
 *   read webhook ──► decide ──► wait for a slot ──► check again ──► attempt ──► record ──► schedule ──► done
 *                      │               │                 │
 *                      │               │                 └─ webhook disabled or deleted ──► record `.canceled` ──► done
 *                      │               └─ webhook busy ──► record `.deferred`, once a cycle ──► schedule ──► done
 *                      └─ webhook disabled or deleted ──► record `.canceled` ──► done
 * ```
 *
 * The log acknowledges each record before the next step of the path begins. If the process dies before the log has the
 * outcome, the attempt is repeated. If the process dies after the outcome, the process that reads the source record
 * again finds the outcome and appends the missing retry record.
 */
export function createDeliver(dependencies: DeliverDependencies): Deliver {
  const { executeAttempt, webhooks, admission, pausableAttempts, inFlight, backpressure, log, logger, now } =
    dependencies;
  const scheduleOnce = createScheduleOnce(dependencies);

  /** @returns null if a rebalance, or the loss of the partition, came before the attempt */
  const deliverOnce = async (
    job: DeliveryJob,
    origin: JobOrigin,
    signal: AbortSignal,
  ): Promise<InFlightResult | null> => {
    await untilReady(job, signal);
    let webhook = await readWebhook(job);
    const early = decide(job, webhook);
    if (early.kind === 'cancel') {
      return pausableAttempts.run(signal, () => recordAndSchedule(job, canceled(job, early.reason)));
    }
    const admitted = await admission.admit(job, origin, signal, () =>
      pausableAttempts.run(signal, async () => {
        const content = await origin.content();
        for (let reads = 1; isStale(webhook); reads += 1) {
          webhook = await readWebhook(job, reads);
        }
        // No other callback runs between the check of the webhook's age and the HTTP request. So an attempt never uses
        // a webhook state that is too old.
        const decision = decide(job, webhook, content);
        const result =
          decision.kind === 'cancel'
            ? canceled(job, decision.reason)
            : await executeAttempt(job, decision.webhook, decision.content);
        return keepSlotUntil(job, recordAndSchedule(job, result));
      }),
    );
    return admitted.kind === 'deferred' ? defer(job, origin, admitted) : (admitted.result?.recorded ?? null);
  };

  /**
   * Waits until the job's consumer group is not rebalancing and the partition of the job's outcome acknowledges
   * records. The job waits without a slot, because an attempt that holds its slot for long makes its webhook look slow.
   */
  const untilReady = async (job: DeliveryJob, signal: AbortSignal) => {
    await pausableAttempts.whenReleased(signal);
    await backpressure.whenPrompt(job.positions.event, signal);
  };

  /**
   * Reads the webhook's state, and again if the state would cancel the job: the webhook may have been created or
   * enabled since the first read.
   */
  const readWebhook = async (job: DeliveryJob, reads = 0): Promise<WebhookState> => {
    if (reads > maximumReads) {
      throw new UnavailableError('MongoDB returns the webhook too slowly');
    }
    const state = await webhooks.webhookOf(job, { notBefore: now() - maximumStaleness.attempting });
    return cancelationOf(state.webhook, job.epoch) === null
      ? state
      : webhooks.webhookOf(job, { notBefore: now() });
  };

  /**
   * Whether a webhook's state is too old for an attempt. The age of a state counts from the start of its read. The API
   * confirms no change of a webhook while an older state may be used.
   */
  const isStale = ({ readAt }: WebhookState) => now() - readAt > maximumStaleness.attempting;

  /** Records the outcome before the retry record: a retry record without an outcome would repeat the attempt. */
  const recordAndSchedule = async (job: DeliveryJob, result: AttemptResult | null): Promise<WorkResult> => {
    if (result === null) {
      return 'abandoned';
    }
    const outcome = await log.record(job, result.facts);
    return result.nextAttemptAt === null
      ? 'done'
      : scheduleOnce(nextAttemptOf(job, outcome), result.nextAttemptAt);
  };

  /** Keeps the slot of the attempt until the log has its outcome, or the partition of the outcome counts as stalled. */
  const keepSlotUntil = async (job: DeliveryJob, recorded: Promise<WorkResult>) => {
    await backpressure.observe(job.positions.event, recorded);
    return { recorded };
  };

  const defer = async (
    job: DeliveryJob,
    { isFirst }: JobOrigin,
    { due, tier }: Deferral,
  ): Promise<InFlightResult> => {
    const outcome = isFirst ? await log.record(job, [deferredFact(job, due)]) : job.positions.outcome;
    await log.schedule({ ...job, due, positions: { ...job.positions, outcome } }, tier);
    return 'deferred';
  };

  /** Retries a failed step without a slot, so that an outage of the read model does not occupy all slots. */
  const withRetries = async (
    job: DeliveryJob,
    signal: AbortSignal,
    work: () => Promise<InFlightResult | null>,
  ): Promise<InFlightResult> => {
    for (let failures = 0; !signal.aborted;) {
      try {
        const result = await work();
        if (result !== null) {
          return result;
        }
      } catch (error) {
        failures += 1;
        if (isProgrammingError(error) || failures === maximumFailures) {
          throw error;
        }
        logger.warn(
          { webhookId: job.webhookId, failures, error: messageOf(error) },
          'a delivery will be tried again',
        );
        await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)));
      }
    }
    return 'abandoned';
  };

  return (job, origin, signal) =>
    inFlight.run(
      attemptKey(job),
      () => withRetries(job, signal, () => deliverOnce(job, origin, signal)),
      signal,
    );
}

type Decision<Content> =
  | { readonly kind: 'attempt'; readonly webhook: Webhook; readonly content: Content }
  | { readonly kind: 'cancel'; readonly reason: CancelReason };

/** @param content null if the event has expired; omitted before the content is read */
function decide(job: DeliveryJob, state: WebhookState): Decision<undefined>;
function decide(job: DeliveryJob, state: WebhookState, content: EventContent | null): Decision<EventContent>;
function decide(
  job: DeliveryJob,
  { webhook }: WebhookState,
  content?: EventContent | null,
): Decision<EventContent | undefined> {
  const reason = cancelationOf(webhook, job.epoch);
  if (webhook === undefined || reason !== null) {
    return { kind: 'cancel', reason: reason ?? 'deleted' };
  }
  return content === null ? { kind: 'cancel', reason: 'expired' } : { kind: 'attempt', webhook, content };
}

function canceled(job: DeliveryJob, reason: CancelReason): AttemptResult {
  return { facts: [canceledFact(job, reason)], nextAttemptAt: null };
}

/** The job of the next attempt in the cycle of `job`. */
function nextAttemptOf(job: DeliveryJob, outcome: LogPosition): DeliveryJob {
  const { number, attemptsMade, positions } = job;
  return {
    ...job,
    number: number + 1,
    attemptsMade: attemptsMade + 1,
    trigger: 'retry',
    positions: { ...positions, outcome },
  };
}

/** The attempts in flight, grouped by the consumer group whose records led to the attempts. */
export interface PausableAttempts {
  /**
   * Must be called for each assigned partition, with the signal of its assignment and the work in flight of its group.
   */
  readonly add: (signal: AbortSignal, group: WorkInFlight) => void;
  /** Resolves when the consumer group may begin attempts: at once, or at the end of its rebalance. */
  readonly whenReleased: (signal: AbortSignal) => Promise<void>;
  /**
   * Runs an attempt until the log has its outcome. Returns null, with nothing begun, during a rebalance of the group.
   */
  readonly run: <Result>(signal: AbortSignal, attempt: () => Promise<Result>) => Promise<Result | null>;
}

export function createPausableAttempts(): PausableAttempts {
  const groups = new WeakMap<AbortSignal, WorkInFlight>();
  return {
    add: (signal, group) => {
      groups.set(signal, group);
    },
    whenReleased: (signal) => groups.get(signal)?.whenReleased() ?? Promise.resolve(),
    run: async (signal, attempt) => {
      const group = groups.get(signal);
      return group === undefined ? attempt() : group.runUnlessHeld(attempt);
    },
  };
}
