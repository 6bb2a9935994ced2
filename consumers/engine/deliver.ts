import { setTimeout as pause } from 'node:timers/promises';

import { cancelationOf } from '../../shared/domain/deliveries/nextStep.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import { isProgrammingError, messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Logger } from '../../shared/core/logger.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import type { AttemptAdmission } from '../fairness/attemptAdmission.js';
import type { Deferral } from '../fairness/deferrals.js';
import type { AttemptResult, ExecuteAttempt } from './executeAttempt.js';
import type { PausableAttempts } from './pausableAttempts.js';
import type { InFlightRegistry, InFlightResult } from './inFlightRegistry.js';
import type { OutcomeBackpressure } from './outcomeBackpressure.js';
import { canceledFact, deferredFact } from './outcomeFacts.js';
import { attemptKey, type JobOrigin, type DeliveryJob } from './deliveryJob.js';
import { type OutcomeLog, createScheduleOnce } from './outcomeLog.js';
import type { WebhookReader } from '../lookups/webhookReader.js';

export interface DeliverDependencies {
  readonly executeAttempt: ExecuteAttempt;
  readonly webhooks: WebhookReader;
  readonly admission: AttemptAdmission;
  readonly pausableAttempts: Pick<PausableAttempts, 'run' | 'whenReleased'>;
  readonly inFlight: InFlightRegistry;
  readonly backpressure: OutcomeBackpressure;
  readonly log: OutcomeLog;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds of the monotonic clock that snapshots of webhooks are stamped with. */
  readonly now: () => number;
}

/**
 * Takes one attempt of a pair to an outcome, a cancelation or a deferral in the log, with the retry record that follows from it.
 * `done` means that the log has these records. `abandoned` means that it has none: the signal came before anything was begun,
 * or this process has cut the exchange off.
 * @throws UnavailableError if the state of the webhook or the content of the event cannot be read for half a minute
 */
export type Deliver = (job: DeliveryJob, origin: JobOrigin, signal: AbortSignal) => Promise<WorkResult>;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/** After about half a minute the record is tried again as a whole. */
const triesOfTurn = 10;
/** A read that takes longer than its answer is valid is repeated at once, but not without end. */
const readsOfWebhook = 3;

/** The result of a turn: the facts of an attempt; null if this process has cut the exchange off. */
type Begun = AttemptResult | null;

/**
 * ```
 *   arrived ──► its partition acknowledges outcomes ──► admitted ──► content and webhook read ──┬─► attempt ──► .attempted ──┬─► done
 *      │                                                   │                                    │                            └─► retry record ──► done
 *      │                                                   │                                    └─► gone, disabled ──► .canceled ──► done
 *      │                                                   └─ webhook busy ──► .deferred, if it is the first of the cycle ──► retry record ──► done
 *      ├─ in flight here already ──► waits for that result ──┬─► done
 *      │                                                     └─► abandoned or failed: begins here
 *      └─ partition lost, or stopping ──► abandoned: the next owner of the partition begins
 * ```
 * Each arrow into the log is acknowledged before the next step. A crash before the outcome repeats the attempt. After it, the
 * process that reads the record again finds the outcome and appends what is missing.
 */
export function createDeliver(dependencies: DeliverDependencies): Deliver {
  const { executeAttempt, webhooks, admission, pausableAttempts, inFlight, backpressure, log, logger, now } =
    dependencies;
  const scheduleOnce = createScheduleOnce(dependencies);

  const webhookAt = async (
    { accountId, mode, webhookId }: DeliveryJob,
    notBefore: number,
  ): Promise<ReadWebhook> => {
    const { readAt, webhooks: found } = await webhooks.webhooksOf(accountId, mode, { notBefore });
    return { readAt, webhook: found.find(({ id }) => id === webhookId) };
  };

  /** A state that would end the pair is read once more: the webhook may have been created or enabled since. */
  const currentWebhook = async (job: DeliveryJob): Promise<ReadWebhook> => {
    const read = await webhookAt(job, now() - maximumStaleness.attempting);
    return cancelationOf(read.webhook, job.epoch) === null ? read : webhookAt(job, now());
  };

  /**
   * The content is read first: the state of the webhook would grow old meanwhile. Its age counts from the begin of the read and is
   * compared in the same turn of the event loop in which the exchange begins, so no attempt begins on a state from before a
   * change that the API has answered. The same holds for rotated secrets, which are part of that state.
   */
  const beginOnce = async (job: DeliveryJob, { content }: JobOrigin): Promise<Begun> => {
    const sent = await content();
    for (let reads = 0; reads < readsOfWebhook; reads += 1) {
      const { webhook, readAt } = await currentWebhook(job);
      const canceled = cancelationOf(webhook, job.epoch);
      if (webhook === undefined || canceled !== null) {
        return { facts: [canceledFact(job, canceled ?? 'deleted')], nextAttemptAt: null };
      }
      if (sent === null) {
        return { facts: [canceledFact(job, 'expired')], nextAttemptAt: null };
      }
      if (now() - readAt <= maximumStaleness.attempting) {
        return executeAttempt(job, webhook, sent);
      }
    }
    throw new UnavailableError('the state of the webhook is too old when it arrives');
  };

  /** The outcome first: a retry record without it would have the attempt repeated. */
  const conclude = async (job: DeliveryJob, made: Begun): Promise<WorkResult> => {
    if (made === null) {
      return 'abandoned';
    }
    const outcome = await log.record(job, made.facts);
    return made.nextAttemptAt === null ? 'done' : scheduleOnce(following(job, outcome), made.nextAttemptAt);
  };

  const defer = async (job: DeliveryJob, { isFirst }: JobOrigin, { due, tier }: Deferral) => {
    const outcome = isFirst ? await log.record(job, [deferredFact(job, due)]) : job.positions.outcome;
    await log.plan({ ...job, due, positions: { ...job.positions, outcome } }, tier);
  };

  /** The slot is kept until the log has the outcome, as long as its partition is prompt. */
  const haveTurn = async (job: DeliveryJob, origin: JobOrigin) => {
    const concluded = conclude(job, await beginOnce(job, origin));
    await backpressure.observe(job.positions.event, concluded);
    return { concluded };
  };

  /**
   * While its group is rebalancing an attempt waits without a slot: slots that wait would pass for slow webhooks.
   */
  const takeTurn = async (
    job: DeliveryJob,
    origin: JobOrigin,
    signal: AbortSignal,
  ): Promise<InFlightResult> => {
    const approach = { isReturn: !origin.isFirst, isOverShare: origin.isOverShare };
    for (;;) {
      await pausableAttempts.whenReleased(signal);
      await backpressure.whenPrompt(job.positions.event, signal);
      const turn = await admission.run(job, approach, signal, () =>
        pausableAttempts.run(signal, () => haveTurn(job, origin)),
      );
      if (turn.kind === 'deferred') {
        await defer(job, origin, turn);
        return 'deferred';
      }
      if (turn.result !== null) {
        return turn.result.concluded;
      }
      if (signal.aborted) {
        return 'abandoned';
      }
    }
  };

  /** Tried again without a slot, so that an outage of the read model does not keep the slots of all webhooks. */
  const takeTurns = async (
    job: DeliveryJob,
    origin: JobOrigin,
    signal: AbortSignal,
  ): Promise<InFlightResult> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await takeTurn(job, origin, signal);
      } catch (error) {
        if (isProgrammingError(error) || tries === triesOfTurn) {
          throw error;
        }
        logger.warn({ webhookId: job.webhookId, tries, error: messageOf(error) }, 'a delivery waits');
        await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1)));
      }
    }
    return 'abandoned';
  };

  return (job, origin, signal) => inFlight.run(attemptKey(job), () => takeTurns(job, origin, signal), signal);
}

/** A webhook as it was read; undefined if it does not exist. */
interface ReadWebhook {
  /** When the read began. */
  readonly readAt: number;
  readonly webhook: Webhook | undefined;
}

/** The attempt that follows in the cycle. */
function following(job: DeliveryJob, outcome: LogPosition): DeliveryJob {
  const { number, attemptsMade, positions } = job;
  return {
    ...job,
    number: number + 1,
    attemptsMade: attemptsMade + 1,
    trigger: 'retry',
    positions: { ...positions, outcome },
  };
}
