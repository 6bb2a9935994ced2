import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import { identifierTime } from '../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import { outcomesBelow, passed, type EventState, type EventStates } from '../lookups/eventStates.js';

/**
 * The deliveries of an event that the log contained before this process read the event's record. The list is empty, without a
 * look-up, if no process can have started one.
 * @returns `repeated` if an earlier record contains the event: the process that has that record delivers it. Null if the partition
 *   was lost
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

/** Another producer may append old events again. Their ids are then older than their records. */
const trustedIdAgeMs = 60_000;

/**
 * Looks up an event only if it may have been read before:
 * - its record was in the log before the partition was assigned to this process: the previous owner may have read it;
 * - its id was seen, is old, or belongs to another partition: another record may contain the event.
 *
 * All other events are attempted at once, even while the projections are stopped.
 *
 * Which of two records is the first is known only from a read model that has passed this record. The other events do not wait for
 * that. After a crash of all roles the projections read the same backlog, and deliveries would wait for them.
 */
export function createPriorDeliveries(dependencies: PriorDeliveriesDependencies): PriorDeliveries {
  const { assignments, recentEvents, offsets, states } = dependencies;
  return async (eventId, record, signal) => {
    const assignment = await assignments.of(record, signal);
    // Called in any case, because the call remembers the event for its next record.
    const wasSeen = recentEvents.wasSeen(eventId, record);
    const isInOtherPartition = record.partition !== partitionOf(eventId, assignment.deliveries.length);
    const predatesAssignment = assignment.predatesAssignment(record);
    const mayBeRepeated = wasSeen || isInOtherPartition || isOld(eventId, record);
    if (!predatesAssignment && !mayBeRepeated) {
      return [];
    }
    // The previous owner may still have attempts in flight. The outcomes of another record of the event may be even newer.
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

/** A record that an operator has redriven from the dead letters is not a repetition: its first record was rejected. */
function isRepeated({ source }: EventState, { partition, offset, headers }: RawRecord): boolean {
  const isOwn = source?.partition === partition && source.offset === offset;
  return source !== undefined && !isOwn && headers['dlq_redriven'] === undefined;
}

/** The events that this process has read recently, so that an event in two records is recognized. */
export interface RecentEventIds {
  /** Whether another record contained the event before this one. */
  readonly wasSeen: (eventId: string, record: RawRecord) => boolean;
}

/** @param capacity how many events are remembered; the oldest are evicted first */
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
