import type { Clock } from '../../shared/core/clock.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { nextStep, type SourceRecord, type NextStep } from '../../shared/domain/deliveries/nextStep.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { EventState, EventStates } from '../lookups/eventStates.js';
import type { Deliver } from './deliver.js';
import type { DeliveryJob, DeliveryProgress, JobOrigin } from './deliveryJob.js';
import type { InFlightRegistry } from './inFlightRegistry.js';
import { canceledFact } from './outcomeFacts.js';
import { type OutcomeLog, createScheduleOnce } from './outcomeLog.js';

/** A delivery job without its attempt number, which is decided later. */
export type DeliveryIdentity = Omit<DeliveryJob, 'number' | 'attemptsMade' | 'trigger'>;

export interface ResumeInput {
  readonly identity: DeliveryIdentity;
  readonly source: SourceRecord;
  /** Whether the account has more than its share of a window that other accounts need. */
  readonly isOverShare: boolean;
  /** The state of the event, which includes at least the outcomes before the source record. */
  readonly state: EventState;
  /** The content of the event, if the caller has it. By default it is read from the model. */
  readonly content?: JobOrigin['content'];
  readonly progress?: DeliveryProgress;
}

/** Decides the next step of a delivery from its source record and the state of its event, and takes that step. */
export type ResumeDelivery = (input: ResumeInput, signal: AbortSignal) => Promise<WorkResult>;

export interface ResumeDependencies {
  readonly deliver: Deliver;
  readonly states: Pick<EventStates, 'contentOf'>;
  readonly log: OutcomeLog;
  readonly inFlight: InFlightRegistry;
  readonly clock: Clock;
}

export function createResumeDelivery(dependencies: ResumeDependencies): ResumeDelivery {
  const { deliver, states, log, clock } = dependencies;

  const scheduleOnce = createScheduleOnce(dependencies);

  const attempt = async (
    { identity, source, isOverShare, state, progress, content: given }: ResumeInput,
    job: DeliveryJob,
    signal: AbortSignal,
  ) => {
    if (state.source === undefined) {
      await log.record(job, [canceledFact(job, 'expired')]);
      return 'done';
    }
    const content = given ?? (() => states.contentOf(identity.eventId));
    const isRelease = source.record === 'release';
    const isFirst = source.record === 'event' || source.record === 'request';
    return deliver(job, { isFirst, isRelease, isOverShare, content, ...(progress && { progress }) }, signal);
  };

  return async (input, signal) => {
    const { identity, source, state } = input;
    const step = nextStep(deliveryOf(state, identity.webhookId), source);
    switch (step.kind) {
      case 'attempt':
        return attempt(input, jobOf(identity, step), signal);
      case 'schedule':
        return scheduleOnce(jobOf(identity, step), step.due ?? clock(), signal);
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

function jobOf(identity: DeliveryIdentity, { attempt }: Exclude<NextStep, { kind: 'drop' }>): DeliveryJob {
  return { ...identity, ...attempt };
}
