import type { DeliveryFact } from '../../shared/domain/delivery.js';
import type { RecordContext } from '../../shared/domain/fact.js';
import type { DeadLetters } from '../../shared/kafka/deadLetters.js';
import type { HandleRecord, WorkResult } from '../../shared/kafka/windowedConsumer.js';
import { allPartitions } from '../../shared/mongo/modelProgress.js';
import { deliveryRecords } from '../../shared/topics/deliveries.js';
import type { RawRecord } from '../../shared/topics/record.js';
import type { Assignments } from '../delivery/assignments.js';
import { passed, type EventState, type EventStates } from '../delivery/eventStates.js';
import type { PairIdentity, PursuePair } from '../delivery/pursuePair.js';

export interface DeliverRequestDependencies {
  readonly assignments: Assignments;
  readonly states: EventStates;
  readonly pursuePair: PursuePair;
  readonly deadLetters: DeadLetters;
}

const requestType = 'postrider.delivery.requested';

type Request = Extract<DeliveryFact, { type: typeof requestType }> & { readonly context: RecordContext };

/** Whether a record of the topic asks for a cycle. All others are outcomes. */
export function isRequest({ headers }: RawRecord): boolean {
  return String(headers['ce_type']) === requestType;
}

/** Starts the cycle that a resend or a replay has asked for. */
export function createDeliverRequest(dependencies: DeliverRequestDependencies): HandleRecord {
  const { deadLetters } = dependencies;
  return async (record, signal, { isCrowded }) => {
    const decoded = deliveryRecords.decode(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const request = decoded.content;
    if (request.type !== requestType) {
      return 'done';
    }
    return startCycle(dependencies, { request, record, isCrowded }, signal);
  };
}

interface Met {
  readonly request: Request;
  readonly record: RawRecord;
  readonly isCrowded: boolean;
}

async function startCycle(
  { assignments, states, pursuePair }: DeliverRequestDependencies,
  { request, record, isCrowded }: Met,
  signal: AbortSignal,
): Promise<WorkResult> {
  const assignment = await assignments.of(record, signal);
  const stoodAtAssignment = assignment.stood(record);
  const awaited = stoodAtAssignment
    ? [{ topic: 'deliveries', offsets: allPartitions(assignment.deliveries) } as const]
    : passed('deliveries', record);
  const state = await states.of(request.context.key, awaited, signal);
  if (state === null) {
    return 'abandoned';
  }
  const { trigger, cycle } = request.value;
  const met = { record: 'request', trigger, cycle, stoodAtAssignment } as const;
  return pursuePair({ identity: identityOf(request, record, state), met, isCrowded, state }, signal);
}

function identityOf(
  { value: { webhookId, cycle, replayId, epoch }, context: { key: eventId, accountId, mode } }: Request,
  { partition, offset }: RawRecord,
  { source }: EventState,
): PairIdentity {
  const positions = { event: source ?? null, outcome: { partition, offset } };
  return { eventId, accountId, mode: mode ?? 'live', webhookId, cycle, replayId, epoch, positions };
}
