import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Clock } from '../../shared/core/clock.js';
import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { EndOffsets, TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import type { MetaDocument } from '../../shared/store/models/generations.js';
import { thinned } from './thinnedHistory.js';

/**
 * The progress of first attempts at one moment. The parts were read in the order of the fields. So every event below
 * its taken-up offset has the records of its set of deliveries below `deliveries`.
 */
export interface TakenUpSnapshot {
  readonly time: Date;
  /** The end offsets of `events`. */
  readonly ends: EndOffsets;
  /** The committed offset of each partition; null if the group has committed none. */
  readonly committed: readonly (number | null)[];
  /** The taken-up offset of each partition; 0 if the group has committed none. */
  readonly takenUp: readonly number[];
  /**
   * The append time of the last event below each taken-up offset, in milliseconds since 1970; null if it is unknown.
   */
  readonly takenUpAt: readonly (number | null)[];
  /** The end offsets of `deliveries`. */
  readonly deliveries: EndOffsets;
}

/** Whether the deliveries of an event are known, by a read model with the positions of `meta`. */
export type AreDeliveriesComplete = (
  event: Pick<EventDocument, 'mode' | 'matched' | 'source'>,
  meta: Pick<MetaDocument, 'positions'>,
) => boolean;

type ModelState = Pick<MetaDocument, 'positions'>;

export interface TakenUp {
  /**
   * A snapshot that began at most 200 ms ago.
   * @throws UnavailableError if Kafka does not respond
   */
  readonly snapshot: () => Promise<TakenUpSnapshot>;
  /**
   * Must be called before the read of a model whose events are then compared. It waits for a new snapshot, but at most
   * 300 ms, and not at all while Kafka does not respond. Without a new snapshot, earlier ones are compared.
   */
  readonly refresh: () => Promise<void>;
  readonly areDeliveriesComplete: AreDeliveriesComplete;
  /**
   * The largest known time up to which delivery has taken up all events. The given models contain these events and
   * their records. Returns null if no such time is known.
   * @param events the model `events`, which contains events and records of deliveries
   * @param others models of records of deliveries
   */
  readonly asOf: (events: ModelState, others: readonly ModelState[]) => Date | null;
  /** The time that `asOf` would return if the models contained all records. */
  readonly latest: () => Date | null;
}

export interface TakenUpDependencies {
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'positions'>;
  /** The consumer group of first attempts. */
  readonly group: string;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The time for which all requests share one snapshot. A snapshot needs three small requests to Kafka. */
const sharedMs = 200;
const longestWaitMs = 300;

/**
 * The progress of delivery, for the field `deliveriesComplete` of events. A response uses the newest snapshot whose
 * records its own read contains. So an event is shown as complete only with all its deliveries. While delivery is
 * stopped, the taken-up offsets do not move, and newer events stay incomplete.
 */
export function createTakenUp(dependencies: TakenUpDependencies): TakenUp {
  const { offsets, groups, group, clock, now } = dependencies;
  /** Earlier snapshots, the oldest first. */
  let history: readonly TakenUpSnapshot[] = [];
  /** By partition, the newest snapshot that a response has used. The history may lose it when it is thinned. */
  let used: readonly (TakenUpSnapshot | undefined)[] = [];
  let begunAt = -Infinity;
  let taking: Promise<TakenUpSnapshot> | null = null;
  let isResponding = true;

  const read = async (): Promise<TakenUpSnapshot> => {
    const time = clock();
    const ends = await offsets.ends('events');
    const positions = await groups.positions(group, 'events').catch((error: unknown) => {
      throw new UnavailableError('Kafka does not respond', { cause: error });
    });
    const deliveries = await offsets.ends('deliveries');
    return {
      time,
      ends,
      deliveries,
      committed: ends.map((_, partition) => positions[partition]?.committed ?? null),
      takenUp: ends.map((_, partition) => takenUpOffset(positions[partition])),
      takenUpAt: ends.map((_, partition) => positions[partition]?.takenUp?.at ?? null),
    };
  };

  const take = async (): Promise<TakenUpSnapshot> => {
    const beginning = now();
    try {
      const taken = withHighestOffsets(await read(), history.at(-1));
      const earlier = historyOfSameLog(history, taken);
      used = earlier.length === 0 ? [] : used;
      history = thinned([...earlier, taken], ({ time }) => time.getTime());
      begunAt = beginning;
      isResponding = true;
      return taken;
    } catch (error) {
      isResponding = false;
      throw error;
    } finally {
      taking = null;
    }
  };

  const snapshot = (): Promise<TakenUpSnapshot> => {
    const newest = history.at(-1);
    if (newest !== undefined && now() - begunAt <= sharedMs) {
      return Promise.resolve(newest);
    }
    taking ??= take();
    return taking;
  };

  /**
   * The newest snapshot whose records of a partition a model contains. Models only progress, so the result never becomes
   * older. An event that was complete in a response stays complete in the next one.
   */
  const newestContained = (meta: ModelState, partition: number): TakenUpSnapshot | undefined => {
    const found = history.findLast((taken) => contains(meta, taken, partition));
    const earlier = used[partition];
    const isEarlierNewer = earlier !== undefined && (found === undefined || earlier.time > found.time);
    if (isEarlierNewer && contains(meta, earlier, partition)) {
      return earlier;
    }
    if (found !== undefined && !isEarlierNewer) {
      used = Object.assign([...used], { [partition]: found });
    }
    return found;
  };

  return {
    snapshot,
    refresh: async () => {
      const next = snapshot().catch(() => null);
      if (isResponding) {
        await withTimeout(next, longestWaitMs, 'Kafka does not respond').catch(() => {
          isResponding = false;
        });
      }
    },
    areDeliveriesComplete: ({ mode, matched, source }, meta) => {
      if (mode === 'test' || matched === true) {
        return true;
      }
      if (source === undefined) {
        return false;
      }
      const { partition, offset } = source;
      return offset < (newestContained(meta, partition)?.takenUp[partition] ?? 0);
    },
    asOf: (events, others) => {
      const contained = history.findLastIndex(
        (taken) =>
          containsEvents(events, taken) && [events, ...others].every((meta) => containsAll(meta, taken)),
      );
      // The models may lack records that were appended before a later snapshot, even if no event was.
      return timeOf(history.slice(0, contained + 1));
    },
    latest: () => timeOf(history),
  };
}

function takenUpOffset(position: Awaited<ReturnType<GroupOffsets['positions']>>[number] | undefined): number {
  // Without metadata, the committed offset is the taken-up offset: an earlier version or an operator has committed it.
  return Math.max(position?.committed ?? 0, position?.takenUp?.offset ?? 0);
}

/**
 * A snapshot with the highest taken-up offsets that this process has seen. Every event below such an offset has its
 * records in the log, so the offset remains true.
 */
function withHighestOffsets(taken: TakenUpSnapshot, before: TakenUpSnapshot | undefined): TakenUpSnapshot {
  if (before === undefined || !isSameLog(before, taken)) {
    return taken;
  }
  const isLower = (offset: number, partition: number) => offset < (before.takenUp[partition] ?? 0);
  return {
    ...taken,
    takenUp: taken.takenUp.map((offset, partition) => Math.max(offset, before.takenUp[partition] ?? 0)),
    takenUpAt: taken.takenUpAt.map((at, partition) =>
      isLower(taken.takenUp[partition] ?? 0, partition) ? (before.takenUpAt[partition] ?? null) : at,
    ),
  };
}

/** The end offsets of a log never decrease, so lower ones show that the topic was created again. */
function isSameLog(before: TakenUpSnapshot, taken: TakenUpSnapshot): boolean {
  const isNotLower = (ends: EndOffsets, earlier: EndOffsets) =>
    ends.every((end, partition) => end >= (earlier[partition] ?? 0));
  return isNotLower(taken.ends, before.ends) && isNotLower(taken.deliveries, before.deliveries);
}

function historyOfSameLog(
  history: readonly TakenUpSnapshot[],
  taken: TakenUpSnapshot,
): readonly TakenUpSnapshot[] {
  const newest = history.at(-1);
  return newest === undefined || isSameLog(newest, taken) ? history : [];
}

function contains(
  { positions }: Pick<MetaDocument, 'positions'>,
  { deliveries }: TakenUpSnapshot,
  partition: number,
): boolean {
  return (positions.deliveries?.[String(partition)] ?? 0) >= (deliveries[partition] ?? 0);
}

/**
 * Whether a model contains all events that were taken up. A model without an event does not count the deliveries of the
 * event, even if it contains their records.
 */
function containsEvents({ positions }: ModelState, { takenUp }: TakenUpSnapshot): boolean {
  return takenUp.every((offset, partition) => (positions.events?.[String(partition)] ?? 0) >= offset);
}

function containsAll(meta: ModelState, taken: TakenUpSnapshot): boolean {
  return taken.deliveries.every((_, partition) => contains(meta, taken, partition));
}

/**
 * The time up to which all events were taken up by the last of some snapshots; null if it is unknown. It is the time of
 * the newest snapshot whose ends the taken-up offsets have reached, or the append time of the last event below them.
 */
function timeOf(snapshots: readonly TakenUpSnapshot[]): Date | null {
  const last = snapshots.at(-1);
  if (last === undefined) {
    return null;
  }
  const { takenUp, takenUpAt, ends } = last;
  const isReached = ({ ends: earlier }: TakenUpSnapshot) =>
    earlier.every((end, partition) => (takenUp[partition] ?? 0) >= end);
  const reached = snapshots.findLast(isReached)?.time.getTime() ?? -Infinity;
  const behind = takenUpAt.filter((_, partition) => (takenUp[partition] ?? 0) < (ends[partition] ?? 0));
  const appended = behind.length === 0 ? -Infinity : Math.min(...behind.map((at) => at ?? -Infinity));
  const latest = Math.max(reached, appended);
  return Number.isFinite(latest) ? new Date(latest) : null;
}
