import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import { identifierTime } from '../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { accountIdOf, tenantIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import type { Admitted } from '../../shared/log/window/retryingHandler.js';
import type { Assignment, Assignments } from '../lookups/assignmentEndOffsets.js';
import {
  endsOf,
  outcomesBelow,
  passed,
  type Awaited,
  type EventState,
  type EventStates,
} from '../lookups/eventStates.js';
import type { OlderFirst } from './olderFirst.js';

/** The deliveries of an event in the log. */
export interface KnownDeliveries {
  readonly deliveries: readonly Delivery[];
  /** Whether the log contains the webhooks that match the event. A matching webhook then has a delivery. */
  readonly areComplete: boolean;
}

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
  admitted: Pick<Admitted, 'isOverShare'>,
) => Promise<KnownDeliveries | 'repeated' | null>;

export interface PriorDeliveriesDependencies {
  readonly assignments: Pick<Assignments, 'of'>;
  readonly recentEvents: RecentEventIds;
  readonly offsets: TopicOffsets;
  readonly states: Pick<EventStates, 'knownOf'>;
  readonly olderFirst: OlderFirst;
}

interface LookUp {
  readonly assignment: Assignment;
  /** The other partitions that may contain a record of the event. */
  readonly others: readonly number[];
  readonly signal: AbortSignal;
}

/** The age up to which an event id counts as new. Old events that a producer appends again have older ids. */
const trustedIdAgeMs = 60_000;

/**
 * Looks up an event only if a process may have read it before:
 * - its record was in the log before the partition was assigned to this process: the previous owner may have read the
 *   record;
 * - its id was seen or is old, or the event is outside its placement: another record may contain the event.
 *
 * All other events need no read model. They wait until the look-ups of their tenant's older events have ended, so that
 * older events come first, but only until some seconds after the assignment: the projections may be stopped. An event
 * whose owner is over its share does not wait, because its deferral frees room in the window.
 *
 * If two records contain an event, only a read model that has passed both records shows which record is the first. The
 * look-up waits for the partitions of `events` that may contain the other record. All other events do not wait until
 * the read model has passed their record. After a crash of all roles the projections read the same backlog, and
 * deliveries would wait for the projections.
 */
export function createPriorDeliveries(dependencies: PriorDeliveriesDependencies): PriorDeliveries {
  const { assignments, recentEvents, offsets, states, olderFirst } = dependencies;
  /** Reads what the model contains of an event, when it has passed all outcomes that matter. */
  const lookUp = async (
    eventId: string,
    record: RawRecord,
    { assignment, others, signal }: LookUp,
  ): Promise<EventState | null> => {
    // The previous owner of the partition may still have attempts in flight. The outcomes of another record of the
    // event may be even newer.
    const ends = assignment.predatesAssignment(record)
      ? await assignment.deliveriesAfterHandOver()
      : await offsets.ends('deliveries');
    // Earlier versions appended the outcomes of an event outside its placement to the placement.
    const outcomes = outcomesBelow(ends, [record.partition, ...others]);
    return states.knownOf(eventId, [outcomes, ...(await bothRecords(record, others, offsets))], signal);
  };

  return async (eventId, record, signal, { isOverShare }) => {
    const assignment = await assignments.of(record, signal);
    const others = otherPartitions(eventId, record, {
      partitions: assignment.deliveries.length,
      // `seenIn` is called for every event, because the call remembers the event for its next record.
      seenIn: recentEvents.seenIn(eventId, record),
    });
    const predatesAssignment = assignment.predatesAssignment(record);
    const tenant = tenantKey(accountIdOf(record), tenantIdOf(record));
    if (!predatesAssignment && others.length === 0) {
      if (!isOverShare) {
        await olderFirst.whenLookedUp(tenant, signal);
      }
      return signal.aborted ? null : nothingKnown;
    }
    const run = () => lookUp(eventId, record, { assignment, others, signal });
    const known = await (predatesAssignment ? olderFirst.lookUp(tenant, assignment.assignedAt, run) : run());
    return known === null ? null : deliveriesIn(known, record);
  };
}

/** The partitions that may contain another record of the event; none if the record is the event's only record. */
function otherPartitions(
  eventId: string,
  record: RawRecord,
  { partitions, seenIn }: { readonly partitions: number; readonly seenIn: number | null },
): readonly number[] {
  if (isOld(eventId, record)) {
    return Array.from({ length: partitions }, (_, partition) => partition);
  }
  const placement = placementOf({ id: eventId }, partitions);
  const outside = record.partition === placement ? [] : [placement];
  return seenIn === null ? outside : [...outside, seenIn];
}

/** The offsets of `events` that a model has passed when it contains a record of an event and its earlier records. */
async function bothRecords(
  record: RawRecord,
  others: readonly number[],
  offsets: TopicOffsets,
): Promise<readonly Awaited[]> {
  return others.length === 0
    ? []
    : [
        ...passed('events', record),
        { topic: 'events', offsets: endsOf(await offsets.ends('events'), others) },
      ];
}

/** Whether the id is much older or newer than the append of the record. */
function isOld(eventId: string, { timestamp }: RawRecord): boolean {
  return Math.abs(timestamp - identifierTime(eventId).getTime()) > trustedIdAgeMs;
}

/** The deliveries of an event that no other process can have read. */
export const nothingKnown: KnownDeliveries = { deliveries: [], areComplete: false };

function deliveriesIn(known: EventState, record: RawRecord): KnownDeliveries | 'repeated' {
  const { deliveries, matched = false } = known;
  return isRepeated(known, record) ? 'repeated' : { deliveries, areComplete: matched };
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
  /** The partition of another record that contained the event before this record; null if no such record is known. */
  readonly seenIn: (eventId: string, record: RawRecord) => number | null;
}

/** @param capacity how many events are remembered; the oldest events are evicted first */
export function createRecentEventIds(capacity: number): RecentEventIds {
  const positions = createBoundedMap<string, string>(capacity);
  return {
    seenIn: (eventId, { partition, offset }) => {
      const position = `${partition}/${offset}`;
      const known = positions.get(eventId);
      if (known === undefined) {
        positions.set(eventId, position);
      }
      return known === undefined || known === position ? null : Number.parseInt(known, 10);
    },
  };
}
