import type { Delivery } from '../../shared/domain/delivery.js';
import { nextStep, type MetIn, type NextStep } from '../../shared/domain/nextStep.js';
import type { Clock } from '../../shared/clock.js';
import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import type { DeliverPair } from './deliverPair.js';
import type { EventState, EventStates } from './eventStates.js';
import type { InFlightRegistry } from './inFlightRegistry.js';
import { canceledFact } from './outcomeFacts.js';
import type { Pair } from './pair.js';
import type { PairLog } from './pairLog.js';
import { createScheduleOnce } from './scheduleOnce.js';

/** A pair without what is still to be decided: which attempt of it is next. */
export type PairIdentity = Omit<Pair, 'number' | 'attemptsMade' | 'trigger'>;

export interface Pursuit {
  readonly identity: PairIdentity;
  readonly met: MetIn;
  /** Whether its account has more than half of a window that others need too. */
  readonly isCrowded: boolean;
  /** What the log says of the event, its outcomes up to the record's position included. */
  readonly state: EventState;
}

/** Does what is to be done with a pair that was met in a record and looked up. */
export type PursuePair = (pursuit: Pursuit, signal: AbortSignal) => Promise<WorkResult>;

export interface PursueDependencies {
  readonly deliverPair: DeliverPair;
  readonly states: Pick<EventStates, 'contentOf'>;
  readonly log: PairLog;
  readonly inFlight: InFlightRegistry;
  readonly clock: Clock;
}

export function createPursuePair(dependencies: PursueDependencies): PursuePair {
  const { deliverPair, states, log, clock } = dependencies;

  const scheduleOnce = createScheduleOnce(dependencies);

  const attempt = async ({ identity, met, isCrowded, state }: Pursuit, pair: Pair, signal: AbortSignal) => {
    if (state.source === undefined) {
      await log.record(pair, [canceledFact(pair, 'expired')]);
      return 'done';
    }
    const content = () => states.contentOf(identity.eventId);
    return deliverPair(pair, { isFirst: met.record !== 'work', isCrowded, content }, signal);
  };

  return async (pursuit, signal) => {
    const { identity, met, state } = pursuit;
    const step = nextStep(deliveryOf(state, identity.webhookId), met);
    switch (step.kind) {
      case 'attempt':
        return attempt(pursuit, pairOf(identity, step), signal);
      case 'plan':
        return scheduleOnce(pairOf(identity, step), step.due ?? clock(), signal);
      case 'drop':
        return 'done';
      default: {
        const never: never = step;
        return never;
      }
    }
  };
}

function deliveryOf(state: EventState, webhookId: string): Delivery | null {
  return state.deliveries.find((delivery) => delivery.webhookId === webhookId) ?? null;
}

function pairOf(identity: PairIdentity, { attempt }: Exclude<NextStep, { kind: 'drop' }>): Pair {
  return { ...identity, ...attempt };
}
