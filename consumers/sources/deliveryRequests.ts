import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import type { DeliveryIdentity, ResumeDelivery } from '../engine/resumeDelivery.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import { passed, type EventState, type EventStates } from '../lookups/eventStates.js';

export interface HandleDeliveryRequestDependencies {
  readonly assignments: Assignments;
  readonly states: EventStates;
  readonly resumeDelivery: ResumeDelivery;
  readonly deadLetters: DeadLetters;
}

const requestType = 'postrider.delivery.requested';

type Request = Extract<DeliveryFact, { type: typeof requestType }> & { readonly context: RecordContext };

/** Whether a record of the topic `deliveries` requests a cycle. All other records of the topic are outcomes. */
export function isRequest({ headers }: RawRecord): boolean {
  return String(headers['ce_type']) === requestType;
}

/** Starts the cycle that a resend or a replay has requested. */
export function createHandleDeliveryRequest(dependencies: HandleDeliveryRequestDependencies): HandleRecord {
  const { deadLetters } = dependencies;
  return async (record, signal, { isOverShare }) => {
    const decoded = deliveryRecords.decode(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const request = decoded.content;
    if (request.type !== requestType) {
      return 'done';
    }
    return startCycle(dependencies, { request, record, isOverShare }, signal);
  };
}

interface RedeliveryRequest {
  readonly request: Request;
  readonly record: RawRecord;
  readonly isOverShare: boolean;
}

async function startCycle(
  { assignments, states, resumeDelivery }: HandleDeliveryRequestDependencies,
  { request, record, isOverShare }: RedeliveryRequest,
  signal: AbortSignal,
): Promise<WorkResult> {
  const assignment = await assignments.of(record, signal);
  const predatesAssignment = assignment.predatesAssignment(record);
  // The previous owner of the partition may have recorded outcomes up to the assignment.
  const awaited = predatesAssignment
    ? [{ topic: 'deliveries', offsets: allPartitions(assignment.deliveries) } as const]
    : passed('deliveries', record);
  const state = await states.of(request.context.key, awaited, signal);
  if (state === null) {
    return 'abandoned';
  }
  const { trigger, cycle } = request.value;
  const source = { record: 'request', trigger, cycle, predatesAssignment } as const;
  return resumeDelivery({ identity: identityOf(request, record, state), source, isOverShare, state }, signal);
}

function identityOf(
  { value: { webhookId, cycle, replayId, epoch }, context: { key: eventId, accountId, mode } }: Request,
  { partition, offset }: RawRecord,
  { source }: EventState,
): DeliveryIdentity {
  const positions = { event: source ?? null, outcome: { partition, offset } };
  return { eventId, accountId, mode: mode ?? 'live', webhookId, cycle, replayId, epoch, positions };
}
