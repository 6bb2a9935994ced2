import { setTimeout as pause } from 'node:timers/promises';

import { cancelationOf } from '../../shared/domain/nextStep.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import { isProgrammingError, messageOf, UnavailableError } from '../../shared/errors.js';
import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import type { Logger } from '../../shared/logger.js';
import type { LogPosition } from '../../shared/topics/work.js';
import { webhookAge } from '../../shared/webhookAge.js';
import type { AttemptAdmission } from '../admission/attemptAdmission.js';
import type { Deferral } from '../admission/deferrals.js';
import type { AttemptMade, AttemptPair } from './attemptPair.js';
import type { GroupAttempts } from './groupAttempts.js';
import type { InFlightRegistry, InFlightResult } from './inFlightRegistry.js';
import type { OutcomeBackpressure } from './outcomeBackpressure.js';
import { canceledFact, deferredFact } from './outcomeFacts.js';
import { nameOfAttempt, type Arrival, type Pair } from './pair.js';
import type { PairLog } from './pairLog.js';
import { createScheduleOnce } from './scheduleOnce.js';
import type { WebhookReader } from './webhookReader.js';

export interface PairDependencies {
  readonly attemptPair: AttemptPair;
  readonly webhooks: WebhookReader;
  readonly turns: AttemptAdmission;
  readonly groupAttempts: Pick<GroupAttempts, 'run' | 'whenReleased'>;
  readonly inFlight: InFlightRegistry;
  readonly backpressure: OutcomeBackpressure;
  readonly log: PairLog;
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
export type DeliverPair = (pair: Pair, arrival: Arrival, signal: AbortSignal) => Promise<WorkResult>;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/** After about half a minute the record is tried again as a whole. */
const triesOfTurn = 10;
/** A read that takes longer than its answer is valid is repeated at once, but not without end. */
const readsOfWebhook = 3;

/** The result of a turn: the facts of an attempt; null if this process has cut the exchange off. */
type Begun = AttemptMade | null;

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
export function createDeliverPair(dependencies: PairDependencies): DeliverPair {
  const { attemptPair, webhooks, turns, groupAttempts, inFlight, backpressure, log, logger, now } =
    dependencies;
  const scheduleOnce = createScheduleOnce(dependencies);

  const webhookAt = async ({ accountId, mode, webhookId }: Pair, notBefore: number): Promise<ReadWebhook> => {
    const { readAt, webhooks: found } = await webhooks.webhooksOf(accountId, mode, { notBefore });
    return { readAt, webhook: found.find(({ id }) => id === webhookId) };
  };

  /** A state that would end the pair is read once more: the webhook may have been created or enabled since. */
  const currentWebhook = async (pair: Pair): Promise<ReadWebhook> => {
    const read = await webhookAt(pair, now() - webhookAge.attempting);
    return cancelationOf(read.webhook, pair.epoch) === null ? read : webhookAt(pair, now());
  };

  /**
   * The content is read first: the state of the webhook would grow old meanwhile. Its age counts from the begin of the read and is
   * compared in the same turn of the event loop in which the exchange begins, so no attempt begins on a state from before a
   * change that the API has answered. The same holds for rotated secrets, which are part of that state.
   */
  const beginOnce = async (pair: Pair, { content }: Arrival): Promise<Begun> => {
    const sent = await content();
    for (let reads = 0; reads < readsOfWebhook; reads += 1) {
      const { webhook, readAt } = await currentWebhook(pair);
      const canceled = cancelationOf(webhook, pair.epoch);
      if (webhook === undefined || canceled !== null) {
        return { facts: [canceledFact(pair, canceled ?? 'deleted')], nextAttemptAt: null };
      }
      if (sent === null) {
        return { facts: [canceledFact(pair, 'expired')], nextAttemptAt: null };
      }
      if (now() - readAt <= webhookAge.attempting) {
        return attemptPair(pair, webhook, sent);
      }
    }
    throw new UnavailableError('the state of the webhook is too old when it arrives');
  };

  /** The outcome first: a retry record without it would have the attempt repeated. */
  const conclude = async (pair: Pair, made: Begun): Promise<WorkResult> => {
    if (made === null) {
      return 'abandoned';
    }
    const outcome = await log.record(pair, made.facts);
    return made.nextAttemptAt === null ? 'done' : scheduleOnce(following(pair, outcome), made.nextAttemptAt);
  };

  const defer = async (pair: Pair, { isFirst }: Arrival, { due, tier }: Deferral) => {
    const outcome = isFirst ? await log.record(pair, [deferredFact(pair, due)]) : pair.positions.outcome;
    await log.plan({ ...pair, due, positions: { ...pair.positions, outcome } }, tier);
  };

  /** The slot is kept until the log has the outcome, as long as its partition is prompt. */
  const haveTurn = async (pair: Pair, arrival: Arrival) => {
    const concluded = conclude(pair, await beginOnce(pair, arrival));
    await backpressure.observe(pair.positions.event, concluded);
    return { concluded };
  };

  /**
   * While its group is rebalancing an attempt waits without a slot: slots that wait would pass for slow webhooks.
   */
  const takeTurn = async (pair: Pair, arrival: Arrival, signal: AbortSignal): Promise<InFlightResult> => {
    const approach = { isReturn: !arrival.isFirst, isCrowded: arrival.isCrowded };
    for (;;) {
      await groupAttempts.whenReleased(signal);
      await backpressure.whenPrompt(pair.positions.event, signal);
      const turn = await turns.run(pair, approach, signal, () =>
        groupAttempts.run(signal, () => haveTurn(pair, arrival)),
      );
      if (turn.kind === 'deferred') {
        await defer(pair, arrival, turn);
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
  const takeTurns = async (pair: Pair, arrival: Arrival, signal: AbortSignal): Promise<InFlightResult> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await takeTurn(pair, arrival, signal);
      } catch (error) {
        if (isProgrammingError(error) || tries === triesOfTurn) {
          throw error;
        }
        logger.warn({ webhookId: pair.webhookId, tries, error: messageOf(error) }, 'a delivery waits');
        await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1)));
      }
    }
    return 'abandoned';
  };

  return (pair, arrival, signal) =>
    inFlight.run(nameOfAttempt(pair), () => takeTurns(pair, arrival, signal), signal);
}

/** A webhook as it was read; undefined if it does not exist. */
interface ReadWebhook {
  /** When the read began. */
  readonly readAt: number;
  readonly webhook: Webhook | undefined;
}

/** The attempt that follows in the cycle. */
function following(pair: Pair, outcome: LogPosition): Pair {
  const { number, attemptsMade, positions } = pair;
  return {
    ...pair,
    number: number + 1,
    attemptsMade: attemptsMade + 1,
    trigger: 'retry',
    positions: { ...positions, outcome },
  };
}
