import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import { resumeHeader } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import {
  deliveryRecords,
  isParking,
  isWithdrawal,
  type ParkingFact,
} from '../../shared/log/records/deliveries.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/retryingHandler.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import type { InFlightRegistry } from '../engine/inFlightRegistry.js';
import { isNextScheduled } from '../engine/outcomeLog.js';
import type { DeliveryIdentity, ResumeDelivery } from '../engine/resumeDelivery.js';
import type { Assignment, Assignments } from '../lookups/assignmentEndOffsets.js';
import { passed, type Awaited, type EventState, type EventStates } from '../lookups/eventStates.js';
import type { ParkedDelivery } from '../parking/backlogs.js';
import type { Release } from '../parking/release.js';

export interface HandleDeliveryRequestDependencies {
  readonly assignments: Assignments;
  readonly states: EventStates;
  readonly resumeDelivery: ResumeDelivery;
  readonly inFlight: Pick<InFlightRegistry, 'hasDone'>;
  readonly release: Pick<Release, 'parked'>;
  readonly deadLetters: DeadLetters;
}

const requestType = 'postrider.delivery.requested';

type FactOf<Type extends DeliveryFact['type']> = Extract<DeliveryFact, { type: Type }> & {
  readonly context: RecordContext;
};

/**
 * Whether the owner of the partition has work after a record of the topic `deliveries`. That is a request or its
 * withdrawal, a parked delivery, or a failed outcome after which a retry follows.
 */
export function isRequest({ headers }: RawRecord): boolean {
  return String(headers['ce_type']) === requestType || headers[resumeHeader] !== undefined;
}

/**
 * - Starts the cycle that a resend or a replay has requested.
 * - Continues the delivery that a canceled replay had taken over, because the retry record from before the replay
 *   belongs to an earlier cycle.
 * - Appends the retry record after a failed outcome, if the process that has made the attempt has not. That process may
 *   have died between the two appends, after another process has parked the delivery and finished its source record.
 * - Passes parked deliveries on to their release.
 */
export function createHandleDeliveryRequest(dependencies: HandleDeliveryRequestDependencies): HandleRecord {
  const { deadLetters, release } = dependencies;
  return async (record, signal, { isOverShare }) => {
    const decoded = deliveryRecords.decode(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const { context, ...fact } = decoded.content;
    if (isParking(fact)) {
      parkedIn(fact, context, record).forEach(release.parked);
      return 'done';
    }
    switch (fact.type) {
      case requestType:
        return startCycle(dependencies, { fact: { ...fact, context }, record, isOverShare }, signal);
      case 'postrider.delivery.attempted':
        return scheduleNext(dependencies, { fact: { ...fact, context }, record, isOverShare }, signal);
      default:
        return isWithdrawal(fact)
          ? continueDelivery(dependencies, { fact: { ...fact, context }, record, isOverShare }, signal)
          : 'done';
    }
  };
}

/** The deliveries that a record parks. */
function parkedIn(
  fact: ParkingFact,
  { accountId, tenancy: ofRecord = null }: RecordContext,
  { partition: home, offset }: RawRecord,
): readonly ParkedDelivery[] {
  const offsets = { deliveries: offset, events: fact.value.event?.offset ?? 0 };
  const webhooks =
    fact.type === 'postrider.delivery.matched'
      ? fact.value.webhooks.filter(({ waits }) => waits !== null)
      : [{ webhookId: fact.value.webhookId, tenancy: ofRecord ?? undefined }];
  return webhooks.map(({ webhookId, tenancy = null }) => ({
    accountId,
    tenancy,
    webhookId,
    home,
    offsets,
  }));
}

interface Source<Type extends DeliveryFact['type']> {
  readonly fact: FactOf<Type>;
  readonly record: RawRecord;
  readonly isOverShare: boolean;
}

async function startCycle(
  { assignments, states, resumeDelivery }: HandleDeliveryRequestDependencies,
  { fact, record, isOverShare }: Source<'postrider.delivery.requested'>,
  signal: AbortSignal,
): Promise<WorkResult> {
  const assignment = await assignments.of(record, signal);
  const state = await states.of(fact.context.key, awaitedFor(record, assignment), signal);
  if (state === null) {
    return 'abandoned';
  }
  const predatesAssignment = assignment.predatesAssignment(record);
  const { trigger, cycle } = fact.value;
  const source = { record: 'request', trigger, cycle, predatesAssignment } as const;
  return resumeDelivery({ identity: identityOf(fact, record, state), source, isOverShare, state }, signal);
}

async function scheduleNext(
  { assignments, states, resumeDelivery, inFlight }: HandleDeliveryRequestDependencies,
  { fact, record, isOverShare }: Source<'postrider.delivery.attempted'>,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { webhookId, cycle, number } = fact.value;
  if (isNextScheduled(inFlight, { eventId: fact.context.key, webhookId, cycle, number })) {
    return 'done';
  }
  const assignment = await assignments.of(record, signal);
  const state = await states.of(fact.context.key, awaitedFor(record, assignment), signal);
  if (state === null) {
    return 'abandoned';
  }
  const source = { record: 'outcome', cycle, number } as const;
  return resumeDelivery({ identity: identityOf(fact, record, state), source, isOverShare, state }, signal);
}

async function continueDelivery(
  { assignments, states, resumeDelivery }: HandleDeliveryRequestDependencies,
  { fact, record, isOverShare }: Source<'postrider.delivery.canceled'>,
  signal: AbortSignal,
): Promise<WorkResult> {
  const assignment = await assignments.of(record, signal);
  const state = await states.of(fact.context.key, awaitedFor(record, assignment), signal);
  if (state === null) {
    return 'abandoned';
  }
  const { webhookId, cycle } = fact.value;
  const delivery = state.deliveries.find((one) => one.webhookId === webhookId);
  if (delivery === undefined) {
    return 'done';
  }
  const source = { record: 'withdrawal', trigger: firstTriggerOf(delivery), cycle } as const;
  const identity = { ...identityOf(fact, record, state), replayId: delivery.replayId };
  return resumeDelivery({ identity, source, isOverShare, state }, signal);
}

/** The previous owner of the partition may have recorded outcomes up to the assignment. */
function awaitedFor(record: RawRecord, assignment: Assignment): readonly Awaited[] {
  return assignment.predatesAssignment(record)
    ? [{ topic: 'deliveries', offsets: allPartitions(assignment.deliveries) }]
    : passed('deliveries', record);
}

/** The trigger of the first attempt, if the delivery has none. A replay never contains a test delivery. */
function firstTriggerOf({ requestId }: Delivery): 'first' | 'resend' {
  return requestId === null ? 'first' : 'resend';
}

function identityOf(
  {
    value: { webhookId, cycle, replayId, epoch },
    context,
  }: Pick<
    FactOf<'postrider.delivery.requested' | 'postrider.delivery.canceled' | 'postrider.delivery.attempted'>,
    'value' | 'context'
  >,
  { partition, offset }: RawRecord,
  { source }: EventState,
): DeliveryIdentity {
  const { key: eventId, accountId, mode } = context;
  const isAtHome = source?.partition === partition;
  const event = { partition, offset: isAtHome ? source.offset : null };
  const positions = { event, outcome: { partition, offset } };
  return {
    eventId,
    accountId,
    mode: mode ?? 'live',
    webhookId,
    cycle,
    replayId,
    epoch,
    positions,
    ...tenantFieldsOf(context),
  };
}
