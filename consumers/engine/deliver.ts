import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import { isProgrammingError, messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { cancelationOf } from '../../shared/domain/deliveries/nextStep.js';
import { everyTenant } from '../../shared/domain/tenants/tenantId.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { EndedLives } from '../../shared/tenants/endedLives.js';
import type { EgressProxy } from '../egress/egressProxy.js';
import type { AttemptAdmission } from '../fairness/attemptAdmission.js';
import type { Slot } from '../fairness/attemptSlots.js';
import type { EventContent } from '../lookups/eventStates.js';
import type { ReplayReader, ReplayReading } from '../lookups/replayReader.js';
import type { WebhookReader, WebhookReading } from '../lookups/webhookReader.js';
import { decide, type DeliveryDecision, type States } from './deliveryDecision.js';
import {
  attemptKey,
  type LongBacklogs,
  type DeliveryJob,
  type JobOrigin,
  type Park,
  type RecordedState,
} from './deliveryJob.js';
import type { AttemptResult, ExecuteAttempt } from './executeAttempt.js';
import type { DeliveryEnd, InFlightRegistry } from './inFlightRegistry.js';
import type { OutcomeBackpressure } from './outcomeBackpressure.js';
import { canceledFact, type CancelReason } from './outcomeFacts.js';
import { createScheduleOnce, type OutcomeLog } from './outcomeLog.js';
import type { PausableAttempts } from './pausableAttempts.js';

export interface DeliverDependencies {
  readonly executeAttempt: ExecuteAttempt;
  readonly webhooks: Pick<WebhookReader, 'webhookOf'>;
  readonly replays: Pick<ReplayReader, 'replayOf'>;
  readonly endedLives: Pick<EndedLives, 'contain'>;
  readonly admission: AttemptAdmission;
  readonly park: Park;
  readonly backlogs: LongBacklogs;
  readonly pausableAttempts: Pick<PausableAttempts, 'run' | 'whenReleased'>;
  readonly inFlight: InFlightRegistry;
  readonly backpressure: OutcomeBackpressure;
  /** The proxy of all requests to webhooks. Without one, the service connects to webhooks directly. */
  readonly egressProxy?: Pick<EgressProxy, 'whenUp'> | null;
  readonly log: OutcomeLog;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds of the monotonic clock that the reads of webhooks and replays are stamped with. */
  readonly now: () => number;
}

/**
 * The delivery of one attempt, which appends the outcome, a cancelation or a parking record to the log, and the next
 * retry record.
 * @returns `done` if the log has the records of the attempt. `abandoned` if the partition was lost, or this process has
 * aborted the request. Also `abandoned` if a released attempt has got no slot, and stays parked.
 * @throws UnavailableError if the webhook, the replay or the content of the event cannot be read for half a minute
 */
export type Deliver = (job: DeliveryJob, origin: JobOrigin, signal: AbortSignal) => Promise<WorkResult>;

interface Delivery {
  readonly job: DeliveryJob;
  readonly origin: JobOrigin;
  /** Aborted when the partition of the source record is lost. */
  readonly signal: AbortSignal;
}

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
 *                      │               │                 └─ webhook, replay or tenant ended ──► record `.canceled` ──► done
 *                      │               └─ webhook busy, or has a long backlog ──► park ──► done
 *                      └─ webhook, replay or tenant ended ──► record `.canceled` ──► done
 * ```
 * A webhook ends when it is disabled or deleted, a replay when it is canceled. The end of a replay concerns only the
 * first attempts that it has requested. The end of a tenant concerns its events from before its deletion.
 *
 * The log acknowledges each record before the next step of the path begins. If the process dies before the log has the
 * outcome, the attempt is repeated. If the process dies after the outcome, the process that reads the source record
 * again finds the outcome and appends the missing retry record. The source record may be done meanwhile, because another
 * owner of the partition has parked the delivery. Then the reader of outcomes appends the missing retry record.
 */
export function createDeliver(dependencies: DeliverDependencies): Deliver {
  const { executeAttempt, webhooks, replays, admission, pausableAttempts, inFlight, backpressure } =
    dependencies;
  const { endedLives, park, backlogs, egressProxy = null, log, logger, now } = dependencies;
  const scheduleOnce = createScheduleOnce(dependencies);

  /** @returns null if a rebalance, or the loss of the partition, came before the attempt */
  const deliverOnce = async (delivery: Delivery): Promise<DeliveryEnd | null> => {
    const { job, origin, signal } = delivery;
    await untilReady(job, signal);
    const states = await readStates(job);
    const early = decide(job, states);
    if (early.kind === 'cancel') {
      return pausableAttempts.run(signal, () => recordAndSchedule(job, origin, canceled(job, early.reason)));
    }
    if (await waitsBehind(job, origin)) {
      return parkUnlessLost(delivery);
    }
    const slot = await admission.admit(job, origin, signal);
    if (slot === 'busy') {
      return parkUnlessLost(delivery);
    }
    const attempted = slot === 'aborted' ? null : await attemptIn(slot, delivery, states);
    return attempted === null ? null : attempted.recorded;
  };

  /** Whether a job waits behind the backlog of its webhook. */
  const waitsBehind = async (job: DeliveryJob, origin: JobOrigin): Promise<boolean> =>
    mayWaitBehind(job, origin) && backlogs.isKnown(job.webhookId) && backlogs.isLong(job.webhookId);

  /**
   * The next owner of a lost partition may attempt the delivery already, so this process does not park it. A delivery
   * that was released stays parked.
   */
  const parkUnlessLost = async ({ job, origin, signal }: Delivery): Promise<DeliveryEnd> =>
    signal.aborted || origin.isRelease === true ? 'abandoned' : park(job, origin);

  const attemptIn = async (slot: Slot, delivery: Delivery, states: States) => {
    try {
      return await pausableAttempts.run(delivery.signal, () => attempt(delivery, states));
    } finally {
      slot.release();
    }
  };

  /**
   * Makes an attempt. The result resolves, and frees the slot, when the log has the outcome, or when the partition of the
   * outcome counts as stalled.
   * @returns the end of the delivery, in an object because a promise of a promise would wait for it
   */
  const attempt = async ({ job, origin, signal }: Delivery, read: States) => {
    origin.progress?.begun();
    const content = await origin.content();
    const states = isStale(read) ? await readAgain(job) : read;
    // Nothing waits between the check of the states' ages and the HTTP request, except for a token, and a request with
    // a new token confirms the states. So an attempt never uses a state of its webhook or replay that is too old.
    const decision = decide(job, states, content);
    const confirm = async () => {
      const confirmed = isStale(states) ? decide(job, await readAgain(job), content) : decision;
      if (signal.aborted || !isDeepStrictEqual(confirmed, decision)) {
        throw new UnavailableError('the webhook or its delivery has changed during the wait for a token');
      }
    };
    const result = signal.aborted ? null : await resultOf(job, decision, confirm);
    const recorded = recordAndSchedule(job, origin, result);
    await backpressure.observe(job.positions.event.partition, recorded);
    return { recorded };
  };

  const resultOf = (
    job: DeliveryJob,
    decision: DeliveryDecision<EventContent>,
    confirm: () => Promise<void>,
  ): Promise<AttemptResult | null> | AttemptResult =>
    decision.kind === 'cancel'
      ? canceled(job, decision.reason)
      : executeAttempt(job, decision.webhook, decision.content, confirm);

  /**
   * Waits until the egress proxy works, the job's consumer group is not rebalancing, and the partition of the job's
   * outcome acknowledges records. The job waits without a slot, because an attempt that holds its slot for long makes its webhook look slow.
   */
  const untilReady = async (job: DeliveryJob, signal: AbortSignal) => {
    if (egressProxy !== null) {
      await egressProxy.whenUp(signal);
    }
    await pausableAttempts.whenReleased(signal);
    await backpressure.whenPrompt(job.positions.event.partition, signal);
  };

  /** Replaces states that are too old for an attempt. */
  const readAgain = async (job: DeliveryJob): Promise<States> => {
    for (let reads = 1; ; reads += 1) {
      const states = await readStates(job, reads);
      if (!isStale(states)) {
        return states;
      }
    }
  };

  const readStates = async (job: DeliveryJob, reads = 0): Promise<States> => {
    const [webhook, replay] = await Promise.all([readWebhook(job, reads), readReplay(job)]);
    return { webhook, replay, isTenantDeleted: await wasTenantDeleted(job, webhook) };
  };

  /**
   * Whether the tenant of the job's event was deleted. The deletion of a tenant precedes the deletion of its webhooks. So
   * if a webhook of a tenant is missing, a current read finds the deletion that may have been the cause.
   */
  const wasTenantDeleted = (job: DeliveryJob, { webhook }: WebhookReading): Promise<boolean> => {
    const { tenancy = null, positions } = job;
    const isCurrent = webhook === undefined && tenancy !== null && tenancy !== everyTenant;
    return endedLives.contain({ ...job, position: positions.event }, { isCurrent });
  };

  /** Reads the replay of a first attempt. Later attempts of the cycle no longer depend on the replay. */
  const readReplay = ({ replayId, attemptsMade }: DeliveryJob): Promise<ReplayReading> | null =>
    replayId === null || attemptsMade > 0
      ? null
      : replays.replayOf(replayId, { notBefore: now() - maximumStaleness.attempting });

  /**
   * Reads the webhook's state, and again if the state would cancel the job: the webhook may have been created or
   * enabled since the first read.
   */
  const readWebhook = async (job: DeliveryJob, reads: number): Promise<WebhookReading> => {
    if (reads > maximumReads) {
      throw new UnavailableError('MongoDB returns the webhook too slowly');
    }
    const state = await webhooks.webhookOf(job, { notBefore: now() - maximumStaleness.attempting });
    return cancelationOf(state.webhook, job.epoch) === null
      ? state
      : webhooks.webhookOf(job, { notBefore: now() });
  };

  /**
   * Whether a state is too old for an attempt. The age of a state counts from the start of its read. The API confirms no
   * change of a webhook while an older state may be used. So a canceled replay begins no attempt a moment later.
   */
  const isStale = ({ webhook, replay }: States) =>
    now() - Math.min(webhook.readAt, replay?.readAt ?? Infinity) > maximumStaleness.attempting;

  /** Records the outcome before the retry record: a retry record without an outcome would repeat the attempt. */
  const recordAndSchedule = async (
    job: DeliveryJob,
    { progress }: JobOrigin,
    result: AttemptResult | null,
  ): Promise<WorkResult> => {
    if (result === null) {
      return 'abandoned';
    }
    const outcome = await log.record(job, result.facts);
    progress?.recorded(recordedState(result), outcome);
    return result.nextAttemptAt === null
      ? 'done'
      : scheduleOnce(nextAttemptOf(job, outcome), result.nextAttemptAt);
  };

  /** Retries a failed step without a slot, so that an outage of the read model does not occupy all slots. */
  const deliver = async (delivery: Delivery): Promise<DeliveryEnd> => {
    const { job, signal } = delivery;
    for (let failures = 0; !signal.aborted;) {
      try {
        const end = await deliverOnce(delivery);
        if (end !== null) {
          return end;
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
    inFlight.run(attemptKey(job), () => deliver({ job, origin, signal }), signal, origin.isRelease);
}

/**
 * Whether an attempt waits behind the backlog of its webhook. A test delivery does not: a person waits for its outcome.
 */
function mayWaitBehind({ trigger }: DeliveryJob, { isRelease = false }: JobOrigin): boolean {
  return !isRelease && trigger !== 'test';
}

function recordedState({ facts: [{ type, value }], nextAttemptAt }: AttemptResult): RecordedState {
  if (nextAttemptAt !== null) {
    return 'retrying';
  }
  return type === 'postrider.delivery.attempted' && value.outcome === 'failed' ? 'failed' : 'ended';
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
