import { setTimeout as pause } from 'node:timers/promises';

import { cancelationOf } from '../../shared/domain/nextStep.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import { messageOf } from '../../shared/errors.js';
import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import type { Logger } from '../../shared/logger.js';
import type { LogPosition } from '../../shared/topics/work.js';
import { webhookAge } from '../../shared/webhookAge.js';
import type { AttemptMade, AttemptPair } from './attemptPair.js';
import type { AttemptTurns } from './attemptTurns.js';
import type { Deferral } from './deferrals.js';
import type { InHand } from './inHand.js';
import { canceledFact, deferredFact } from './outcomeFacts.js';
import { nameOfAttempt, type Arrival, type Pair } from './pair.js';
import type { PairLog } from './pairLog.js';
import { createPlanOnce } from './planOnce.js';
import type { WebhookReader } from './webhookReader.js';

export interface PairDependencies {
  readonly attemptPair: AttemptPair;
  readonly webhooks: WebhookReader;
  readonly turns: AttemptTurns;
  readonly inHand: InHand;
  readonly log: PairLog;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Takes one attempt of a pair to what becomes of it in the log: an outcome, a cancelation or a deferral, and the work
 * record of the next attempt. `abandoned` where the signal came before anything was begun.
 */
export type DeliverPair = (pair: Pair, arrival: Arrival, signal: AbortSignal) => Promise<WorkResult>;

const pauseAfterFailureMs = 200;

/** What an attempt has come to; null where it was given up before anything was begun, or cut off by our own end. */
type Begun = AttemptMade | null;

/**
 * ```
 *   arrived ──► waits for its turn ──► webhook read again ──┬─► attempt ──► .attempted ──┬─► done
 *      │               │                                    │                            └─► work record ──► done
 *      │               │                                    └─► gone, disabled ──► .canceled ──► done
 *      │               └─ webhook busy ──► .deferred, where it is the cycle's first ──► work record ──► done
 *      ├─ under way or finished here already ──► done
 *      └─ partition lost, or stopping ──► abandoned: whoever has it next begins anew
 * ```
 * Each arrow into the log is acknowledged before the next step. A crash before the outcome repeats the attempt; after it,
 * whoever meets the record again finds the outcome and appends what is missing.
 */
export function createDeliverPair(dependencies: PairDependencies): DeliverPair {
  const { attemptPair, webhooks, turns, inHand, log, logger } = dependencies;
  const planOnce = createPlanOnce(dependencies);

  const webhookAt = async (
    { accountId, mode, webhookId }: Pair,
    notBefore: number,
  ): Promise<Webhook | undefined> => {
    const snapshot = await webhooks.webhooksOf(accountId, mode, { notBefore });
    return snapshot.webhooks.find(({ id }) => id === webhookId);
  };

  /** What would end the pair is read once more: a webhook may have been created or enabled since, and this been asked for. */
  const currentWebhook = async (pair: Pair): Promise<Webhook | undefined> => {
    const webhook = await webhookAt(pair, performance.now() - webhookAge.attempting);
    return cancelationOf(webhook, pair.epoch) === null ? webhook : webhookAt(pair, performance.now());
  };

  const beginOnce = async (pair: Pair, { content }: Arrival): Promise<Begun> => {
    const webhook = await currentWebhook(pair);
    const canceled = cancelationOf(webhook, pair.epoch);
    if (webhook === undefined || canceled !== null) {
      return { facts: [canceledFact(pair, canceled ?? 'deleted')], nextAttemptAt: null };
    }
    const sent = await content();
    return sent === null
      ? { facts: [canceledFact(pair, 'expired')], nextAttemptAt: null }
      : attemptPair(pair, webhook, sent);
  };

  const begin = async (pair: Pair, arrival: Arrival, signal: AbortSignal): Promise<Begun> => {
    while (!signal.aborted) {
      try {
        return await beginOnce(pair, arrival);
      } catch (error) {
        // Nothing was begun: the read model is away, or no key opens the secret. Neither is the receiver's failure.
        logger.warn({ webhookId: pair.webhookId, error: messageOf(error) }, 'a delivery waits');
        await pause(pauseAfterFailureMs);
      }
    }
    return null;
  };

  /** The outcome first: a work record without it would have the attempt that it follows made again. */
  const conclude = async (pair: Pair, { facts, nextAttemptAt }: AttemptMade) => {
    const outcome = await log.record(pair, facts);
    if (nextAttemptAt !== null) {
      await planOnce(following(pair, outcome), nextAttemptAt);
    }
  };

  const defer = async (pair: Pair, { isFirst }: Arrival, { due, tier }: Deferral) => {
    const outcome = isFirst ? await log.record(pair, [deferredFact(pair, due)]) : pair.positions.outcome;
    await log.plan({ ...pair, due, positions: { ...pair.positions, outcome } }, tier);
  };

  /** All that a turn is for, up to what the log has of it: whatever a crash has repeated was having its turn. */
  const haveTurn = async (pair: Pair, arrival: Arrival, signal: AbortSignal): Promise<WorkResult> => {
    const made = await begin(pair, arrival, signal);
    if (made === null) {
      return 'abandoned';
    }
    await conclude(pair, made);
    return 'done';
  };

  const takeTurn = async (pair: Pair, arrival: Arrival, signal: AbortSignal) => {
    const approach = { isReturn: !arrival.isFirst, isCrowded: arrival.isCrowded };
    const turn = await turns.run(pair, approach, signal, () => haveTurn(pair, arrival, signal));
    if (turn.kind === 'deferred') {
      await defer(pair, arrival, turn);
      return 'deferred';
    }
    return turn.result ?? 'abandoned';
  };

  return async (pair, arrival, signal) => {
    const result = await inHand.once(nameOfAttempt(pair), () => takeTurn(pair, arrival, signal));
    return result === 'abandoned' ? 'abandoned' : 'done';
  };
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
