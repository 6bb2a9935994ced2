import type { TakenUpOffset } from '../client/takenUp.js';

/**
 * The window of a partition: its records in flight, which finish in any order. The offset to commit is the lowest
 * unfinished offset.
 *
 * ```
 *   offset   40  41  42  43  44  45        40, 42 and 44 are done, 41 and 43 are not, 45 was not handed over yet
 *            ■   □   ■   □   ■             watermark 41, next 45
 *                ▲               ▲
 *            watermark          next
 * ```
 *
 * Every offset from the watermark to `next` is either unfinished or done. So the window needs no list of finished
 * offsets above the watermark. A redelivered record is recognized, because its offset is below `next`.
 *
 * An unfinished record is known if the log contains the set of its deliveries. The taken-up offset is the lowest
 * unfinished offset that is not known.
 */
export interface PartitionWindow {
  /**
   * Adds a record to the window. `since` is the time at which the record became ready, in milliseconds since 1970.
   * @returns false for a known record, which is in flight or done
   */
  begin: (offset: number, bytes: number, since: number) => boolean;
  finish: (offset: number) => void;
  /** Marks a record as known, whether the record is unfinished or done. */
  know: (offset: number) => void;
  /** Skips all offsets below the given offset, because they contain no more records. */
  skipTo: (offset: number) => void;
  /**
   * Returns the lowest unfinished offset. If all records are done, the watermark is the offset after the last record.
   * The watermark is null before the first record.
   */
  watermark: () => number | null;
  /** Returns the time at which the lowest unfinished record became ready; null if all records are done. */
  unfinishedSince: () => number | null;
  /**
   * Returns the lowest offset that is neither known nor done, with the time at which the last record below it became
   * ready. Returns null before the first record.
   */
  takenUp: () => TakenUpOffset | null;
  readonly unfinished: number;
  readonly unfinishedBytes: number;
}

export function createPartitionWindow(): PartitionWindow {
  /** The unfinished records by offset. Records are added in ascending order of offsets, which a `Map` preserves. */
  const open = new Map<number, { readonly bytes: number; readonly since: number }>();
  /** The times of the last records before each unfinished record that is not known, in the same order. */
  const unknown = new Map<number, number | null>();
  let next: number | null = null;
  let latest: number | null = null;
  let unfinishedBytes = 0;

  return {
    begin: (offset, bytes, since) => {
      if (next !== null && offset < next) {
        return false;
      }
      open.set(offset, { bytes, since });
      unknown.set(offset, latest);
      latest = since;
      unfinishedBytes += bytes;
      next = offset + 1;
      return true;
    },
    finish: (offset) => {
      unfinishedBytes -= open.get(offset)?.bytes ?? 0;
      open.delete(offset);
      unknown.delete(offset);
    },
    know: (offset) => {
      unknown.delete(offset);
    },
    skipTo: (offset) => {
      next = Math.max(next ?? offset, offset);
    },
    watermark: () => {
      const lowest = open.keys().next();
      return lowest.done === true ? next : lowest.value;
    },
    unfinishedSince: () => open.values().next().value?.since ?? null,
    takenUp: () => {
      const [lowest] = unknown;
      const [offset, at] = lowest ?? [next, latest];
      return offset === null ? null : { offset, at };
    },
    get unfinished() {
      return open.size;
    },
    get unfinishedBytes() {
      return unfinishedBytes;
    },
  };
}
