import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { identifierTime } from '../../shared/domain/core/identifiers.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { Assignments } from '../lookups/assignments.js';
import { outcomesBelow, passed, type EventState, type EventStates } from '../lookups/eventStates.js';
import type { RecentEventIds } from '../lookups/recentEventIds.js';

/**
 * What was recorded of an event before its record came to this process; none, without a look, where nobody can have begun
 * it. `repeated` where an earlier record brought the event: whoever has that one delivers it. Null where the partition was
 * lost meanwhile.
 * @throws UnavailableError where it cannot be known now
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

/** A producer that is not ours may append old events again: their ids are older than their records. */
const trustedIdAgeMs = 60_000;

/**
 * An event may have been met before where its record stood in the log when the partition became ours. Another record may have brought
 * it where its id was seen, is old, or belongs to another partition, so that another process may have seen it there. Only these are
 * looked up: all others are attempted at once, also while the projections are stopped.
 *
 * Which record came first is told by a model that has read the record itself, and nobody else waits for that: after a crash
 * of all roles the projections have the same backlog before them, and deliveries would wait until they have read it.
 */
export function createPriorDeliveries(dependencies: PriorDeliveriesDependencies): PriorDeliveries {
  const { assignments, recentEvents, offsets, states } = dependencies;
  return async (eventId, record, signal) => {
    const assignment = await assignments.of(record, signal);
    // Asked in any case, since asking is what makes it remembered: the event's next record may come from behind.
    const wasSeen = recentEvents.wasSeen(eventId, record);
    const isElsewhere = record.partition !== partitionOf(eventId, assignment.deliveries.length);
    const predatesAssignment = assignment.predatesAssignment(record);
    const mayBeSecond = wasSeen || isElsewhere || isOld(eventId, record);
    if (!predatesAssignment && !mayBeSecond) {
      return [];
    }
    // The previous owner may have attempts in flight. The outcomes of another record of the event may be newer still.
    const ends = predatesAssignment
      ? await assignment.deliveriesAfterHandOver()
      : await offsets.ends('deliveries');
    const itself = mayBeSecond ? passed('events', record) : [];
    const known = await states.knownOf(eventId, [outcomesBelow(ends, eventId), ...itself], signal);
    return known === null ? null : deliveriesIn(known, record);
  };
}

/** Both times are in milliseconds since 1970; the record's is that of its append. */
function isOld(eventId: string, { timestamp }: RawRecord): boolean {
  return Math.abs(timestamp - identifierTime(eventId).getTime()) > trustedIdAgeMs;
}

function deliveriesIn(known: EventState, record: RawRecord): readonly Delivery[] | 'repeated' {
  return isRepeated(known, record) ? 'repeated' : known.deliveries;
}

/** One that an operator has taken back from the dead letters was refused by someone who had it first. */
function isRepeated({ source }: EventState, { partition, offset, headers }: RawRecord): boolean {
  const isOwn = source?.partition === partition && source.offset === offset;
  return source !== undefined && !isOwn && headers['dlq_redriven'] === undefined;
}
