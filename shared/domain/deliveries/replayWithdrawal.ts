import type { Delivery, StateBeforeReplay } from './delivery.js';
import type { DeliveryFact } from './deliveryFacts.js';
import { withReplay, type ReplayOutcome } from './replayedDelivery.js';

type DeliveryCanceled = Extract<DeliveryFact, { type: 'postrider.delivery.canceled' }>;

export function isReplayCancelation(fact: DeliveryFact): fact is DeliveryCanceled {
  return fact.type === 'postrider.delivery.canceled' && fact.value.error.code === 'replay_canceled';
}

/**
 * A delivery after the cancelation of the replay that requested its cycle. It gets its earlier state back, unless the
 * cycle has an attempt or an end. If two replays have requested one cycle, the first one counts.
 */
export function withoutReplay(
  state: Delivery,
  { replayId, cycle, error }: DeliveryCanceled['value'],
): Delivery {
  if (cycle !== state.cycle || !isUnattempted(state, replayId)) {
    return state;
  }
  const { before = null, parked: _parked, replays = [], ...delivery } = state;
  const restored: Delivery =
    before === null
      ? { ...delivery, status: 'canceled', nextAttemptAt: null, error }
      : { ...delivery, ...before, replayId: before.replayId === replayId ? null : before.replayId };
  const ended = replays.map((replayed) =>
    replayed.replayId === replayId ? { ...replayed, outcome: 'canceled' as const } : replayed,
  );
  const { replayId: requestedBy } = restored;
  const outcome = outcomeOf(restored);
  return { ...restored, replays: withReplay(ended, null, { cycle, outcome, requestedBy, attemptOf: null }) };
}

/**
 * Whether a replay has requested the delivery's cycle, and no attempt of the cycle is recorded. A document of an earlier
 * version does not contain the state before such a request.
 */
export function isUnattempted(
  { status, replayId, lastNumber }: Pick<Delivery, 'status' | 'replayId' | 'lastNumber'>,
  ofReplay: string | null,
): boolean {
  return ofReplay !== null && replayId === ofReplay && status === 'pending' && lastNumber === 0;
}

/** The outcome of a replayed delivery, by the status of the delivery. */
export function outcomeOf({ status }: Delivery): ReplayOutcome {
  switch (status) {
    case 'pending':
    case 'retrying':
    case 'failed':
      return status;
    case 'delivered':
      return 'done';
    case 'canceled':
      return 'failed';
    default: {
      const never: never = status;
      return never;
    }
  }
}

/**
 * The most states of earlier replays in an event's document. A webhook that hangs may have any number of replays before
 * an attempt, but the size of the document must be limited.
 */
const maximumDepth = 10;

/**
 * The state for a cancelation of the replay that requests the next cycle. Several replays may request a delivery before
 * an attempt, and each cancelation restores the state before its own replay. Beyond the limit a cancelation restores an
 * earlier state: the state before the replay that has reached the limit.
 */
export function stateBeforeReplay(delivery: Delivery | null): StateBeforeReplay | null {
  if (delivery === null || depthOf(delivery) >= maximumDepth) {
    return delivery?.before ?? null;
  }
  const { status, statusCode, deliveredAt, nextAttemptAt, error, replayId, requestId } = delivery;
  const { firstNumber, lastNumber, before } = delivery;
  return {
    status,
    statusCode,
    deliveredAt,
    nextAttemptAt,
    error,
    replayId,
    requestId,
    firstNumber,
    lastNumber,
    ...(before !== undefined && { before }),
  };
}

function depthOf({ before }: Pick<Delivery, 'before'>): number {
  return before === undefined || before === null ? 0 : 1 + depthOf(before);
}
