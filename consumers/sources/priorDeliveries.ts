import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import { identifierTime } from '../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import { outcomesBelow, passed, type EventState, type EventStates } from '../lookups/eventStates.js';

/**
 * The deliveries of an event that the log contained before this process read the event's record. If no process can have
 * started a delivery, the list is empty and no look-up is made.
 * @returns `repeated` if an earlier record contains the event, which the process with the earlier record delivers; null
 * if the partition was lost
 * @throws UnavailableError if the deliveries are not known now
 */
export type PriorDeliveries = (
  eventId: string,
  record: RawRecord,
  signal: AbortSignal,
) => Promise<readonly Delivery[] | 'repeated' | null>;

export interface PriorDeliveriesDependencies {
  readonly assignments: Pick<Assignments, 'of'>;
  readonly recentEvents: RecentEventIds;
  readonly offsets: TopicOffsets;
  readonly states: Pick<EventStates, 'knownOf'>;
}

/** The age up to which an event id counts as new. Old events that a producer appends again have older ids. */
const trustedIdAgeMs = 60_000;

/**
 * Looks up an event only if a process may have read it before:
 * - its record was in the log before the partition was assigned to this process: the previous owner may have read the
 *   record;
 * - its id was seen, is old, or belongs to another partition: another record may contain the event.
 *
 * All other events are attempted at once, even while the projections are stopped.
 *
 * If two records contain an event, only a read model that has passed both records shows which record is the first. All
 * other events do not wait until the read model has passed their record. After a crash of all roles the projections
 * read the same backlog, and deliveries would wait for the projections.
 */
export function createPriorDeliveries(dependencies: PriorDeliveriesDependencies): PriorDeliveries {
  const { assignments, recentEvents, offsets, states } = dependencies;
  return async (eventId, record, signal) => {
    const assignment = await assignments.of(record, signal);
    // `wasSeen` is called for every event, because the call remembers the event for its next record.
    const wasSeen = recentEvents.wasSeen(eventId, record);
    const isInOtherPartition = record.partition !== partitionOf(eventId, assignment.deliveries.length);
    const predatesAssignment = assignment.predatesAssignment(record);
    const mayBeRepeated = wasSeen || isInOtherPartition || isOld(eventId, record);
    if (!predatesAssignment && !mayBeRepeated) {
      return [];
    }
    // The previous owner of the partition may still have attempts in flight. The outcomes of another record of the
    // event may be even newer.
    const ends = predatesAssignment
      ? await assignment.deliveriesAfterHandOver()
      : await offsets.ends('deliveries');
    const ownRecord = mayBeRepeated ? passed('events', record) : [];
    const known = await states.knownOf(eventId, [outcomesBelow(ends, eventId), ...ownRecord], signal);
    return known === null ? null : deliveriesIn(known, record);
  };
}

/** Whether the id is much older or newer than the append of the record. */
function isOld(eventId: string, { timestamp }: RawRecord): boolean {
  return Math.abs(timestamp - identifierTime(eventId).getTime()) > trustedIdAgeMs;
}

function deliveriesIn(known: EventState, record: RawRecord): readonly Delivery[] | 'repeated' {
  return isRepeated(known, record) ? 'repeated' : known.deliveries;
}

/**
 * Whether an earlier record contains the event. A record that an operator has redriven from the dead letters is no
 * repetition, because the first record of its event was rejected.
 */
function isRepeated({ source }: EventState, { partition, offset, headers }: RawRecord): boolean {
  const isOwn = source?.partition === partition && source.offset === offset;
  return source !== undefined && !isOwn && headers['dlq_redriven'] === undefined;
}

/** The ids of the events that this process has read recently, which show that an event is in two records. */
export interface RecentEventIds {
  /** Whether another record contained the event before this record. */
  readonly wasSeen: (eventId: string, record: RawRecord) => boolean;
}

/** @param capacity how many events are remembered; the oldest events are evicted first */
export function createRecentEventIds(capacity: number): RecentEventIds {
  const positions = createBoundedMap<string, string>(capacity);
  return {
    wasSeen: (eventId, { partition, offset }) => {
      const position = `${partition}/${offset}`;
      const known = positions.get(eventId);
      if (known !== undefined) {
        return known !== position;
      }
      positions.set(eventId, position);
      return false;
    },
  };
}
