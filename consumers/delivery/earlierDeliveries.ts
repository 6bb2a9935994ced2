import type { Delivery } from '../../shared/domain/delivery.js';
import { identifierTime } from '../../shared/domain/identifiers.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import { allPartitions } from '../../shared/mongo/modelProgress.js';
import type { RawRecord } from '../../shared/topics/record.js';
import type { Assignments } from './assignments.js';
import type { EventStates } from './eventStates.js';
import type { RecentEvents } from './recentEvents.js';

/**
 * What was recorded of an event before its record came to this process; none, without a look, where nobody can have begun
 * it. Null where the partition was lost meanwhile.
 * @throws UnavailableError where it cannot be known now
 */
export type EarlierDeliveries = (
  eventId: string,
  record: RawRecord,
  signal: AbortSignal,
) => Promise<readonly Delivery[] | null>;

export interface EarlierDeliveriesDependencies {
  readonly assignments: Pick<Assignments, 'of'>;
  readonly recentEvents: RecentEvents;
  readonly offsets: TopicOffsets;
  readonly states: Pick<EventStates, 'deliveriesOf'>;
}

/** A producer that is not ours may append old events again: their ids are older than their records. */
const trustedIdAgeMs = 60_000;

/**
 * An event may have been met before where its record stood in the log when the partition became ours, or where its id was seen
 * elsewhere. Only these are looked up: all others are attempted at once, also while the projections are stopped.
 */
export function createEarlierDeliveries(dependencies: EarlierDeliveriesDependencies): EarlierDeliveries {
  const { assignments, recentEvents, offsets, states } = dependencies;
  return async (eventId, record, signal) => {
    const assignment = await assignments.of(record, signal);
    // Asked in any case, since asking is what makes it remembered: the event's next record may come from behind.
    const wasSeen = recentEvents.wasSeen(eventId, record);
    const isOld = Math.abs(record.timestamp - identifierTime(eventId).getTime()) > trustedIdAgeMs;
    const stood = assignment.stood(record);
    if (!stood && !wasSeen && !isOld) {
      return [];
    }
    // Whoever had the partition before has written its outcomes before it became ours; those of another record may be newer.
    const ends = stood ? assignment.deliveries : await offsets.ends('deliveries');
    return states.deliveriesOf(eventId, [{ topic: 'deliveries', offsets: allPartitions(ends) }], signal);
  };
}
