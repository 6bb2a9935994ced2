import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import type { HandleRecord } from '../../../../shared/log/window/retryingHandler.js';

/** One member's work on one record, once. Times are in milliseconds of one clock. */
export interface RetryRecord {
  readonly member: string;
  /** Which time it was that the partition was this member's. */
  readonly tenure: AbortSignal;
  readonly partition: number;
  readonly offset: number;
  readonly begunAt: number;
  /** Whether the partition was lost already. */
  readonly begunTooLate: boolean;
  endedAt: number | null;
  result: 'done' | 'abandoned' | null;
}

export function positionOf({ partition, offset }: Pick<RetryRecord, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`;
}

/** A handler that keeps account of its work, and leaves it at once where its partition is lost. */
export function recordWork(
  member: string,
  works: RetryRecord[],
  durationMs: (offset: number) => number,
): HandleRecord {
  return async ({ partition, offset }, tenure) => {
    // All records of a partition listen to one signal.
    setMaxListeners(0, tenure);
    const work: RetryRecord = {
      member,
      tenure,
      partition,
      offset,
      begunAt: performance.now(),
      begunTooLate: tenure.aborted,
      endedAt: null,
      result: null,
    };
    works.push(work);
    work.result = await pause(durationMs(offset), 'done' as const, { signal: tenure }).catch(
      () => 'abandoned' as const,
    );
    work.endedAt = performance.now();
    return work.result;
  };
}

/** For how long two members worked on one record at the same time, for each record that this happened to. */
export function overlapsOf(
  works: readonly RetryRecord[],
): readonly { position: string; overlapMs: number }[] {
  return [...groupsOf(works, positionOf)].flatMap(([position, [first, ...later]]) =>
    later
      .filter(({ member, begunAt }) => member !== first.member && begunAt < endOf(first))
      .map(({ begunAt }) => ({ position, overlapMs: endOf(first) - begunAt })),
  );
}

/** Positions that a member has worked on twice while their partition was its own all the time. */
export function repeatsInOneTenure(works: readonly RetryRecord[]): readonly string[] {
  return [...groupsOf(works, ({ tenure }) => tenure).values()].flatMap((ofTenure) =>
    [...groupsOf(ofTenure, positionOf)].flatMap(([position, { length }]) => (length > 1 ? [position] : [])),
  );
}

/** Partitions in which a record is unfinished while a later one is done. */
export function partitionsOutOfOrder(works: readonly RetryRecord[]): readonly number[] {
  return [...groupsOf(works, ({ partition }) => partition)].flatMap(([partition, ofPartition]) => {
    const lowestOpen = Math.min(
      ...ofPartition.filter(({ result }) => result === null).map(({ offset }) => offset),
    );
    return ofPartition.some(({ result, offset }) => result === 'done' && offset > lowestOpen)
      ? [partition]
      : [];
  });
}

function endOf({ endedAt }: RetryRecord): number {
  return endedAt ?? Infinity;
}

function groupsOf<Key>(
  works: readonly RetryRecord[],
  keyOf: (work: RetryRecord) => Key,
): Map<Key, [RetryRecord, ...RetryRecord[]]> {
  const groups = new Map<Key, [RetryRecord, ...RetryRecord[]]>();
  for (const work of works) {
    const group = groups.get(keyOf(work));
    if (group === undefined) {
      groups.set(keyOf(work), [work]);
    } else {
      group.push(work);
    }
  }
  return groups;
}
