import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import type { HandleRecord } from '../../../../shared/log/window/retryingHandler.js';

/** One handling of one record by one member. Times are in milliseconds of one clock. */
export interface Handling {
  readonly member: string;
  /** The signal of the assignment of the partition to this member. */
  readonly tenure: AbortSignal;
  readonly partition: number;
  readonly offset: number;
  readonly begunAt: number;
  /** Whether the member had already lost the partition. */
  readonly begunTooLate: boolean;
  endedAt: number | null;
  result: 'done' | 'abandoned' | null;
}

export function positionOf({ partition, offset }: Pick<Handling, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`;
}

/** A handler that records its handlings, and abandons them at once if its partition is lost. */
export function recordHandlings(
  member: string,
  handlings: Handling[],
  durationMs: (offset: number) => number,
): HandleRecord {
  return async ({ partition, offset }, tenure) => {
    // All records of a partition listen to one signal.
    setMaxListeners(0, tenure);
    const handling: Handling = {
      member,
      tenure,
      partition,
      offset,
      begunAt: performance.now(),
      begunTooLate: tenure.aborted,
      endedAt: null,
      result: null,
    };
    handlings.push(handling);
    handling.result = await pause(durationMs(offset), 'done' as const, { signal: tenure }).catch(
      () => 'abandoned' as const,
    );
    handling.endedAt = performance.now();
    return handling.result;
  };
}

/** The overlaps of the handlings of one record by two members. */
export function overlapsOf(
  handlings: readonly Handling[],
): readonly { position: string; overlapMs: number }[] {
  return [...groupsOf(handlings, positionOf)].flatMap(([position, [first, ...later]]) =>
    later
      .filter(({ member, begunAt }) => member !== first.member && begunAt < endOf(first))
      .map(({ begunAt }) => ({ position, overlapMs: endOf(first) - begunAt })),
  );
}

/** The positions that a member has handled twice during one assignment of their partition. */
export function repeatsInOneTenure(handlings: readonly Handling[]): readonly string[] {
  return [...groupsOf(handlings, ({ tenure }) => tenure).values()].flatMap((ofTenure) =>
    [...groupsOf(ofTenure, positionOf)].flatMap(([position, { length }]) => (length > 1 ? [position] : [])),
  );
}

/** The partitions in which a record is unfinished while a later one is done. */
export function partitionsOutOfOrder(handlings: readonly Handling[]): readonly number[] {
  return [...groupsOf(handlings, ({ partition }) => partition)].flatMap(([partition, ofPartition]) => {
    const lowestOpen = Math.min(
      ...ofPartition.filter(({ result }) => result === null).map(({ offset }) => offset),
    );
    return ofPartition.some(({ result, offset }) => result === 'done' && offset > lowestOpen)
      ? [partition]
      : [];
  });
}

function endOf({ endedAt }: Handling): number {
  return endedAt ?? Infinity;
}

function groupsOf<Key>(
  handlings: readonly Handling[],
  keyOf: (handling: Handling) => Key,
): Map<Key, [Handling, ...Handling[]]> {
  const groups = new Map<Key, [Handling, ...Handling[]]>();
  for (const handling of handlings) {
    const group = groups.get(keyOf(handling));
    if (group === undefined) {
      groups.set(keyOf(handling), [handling]);
    } else {
      group.push(handling);
    }
  }
  return groups;
}
