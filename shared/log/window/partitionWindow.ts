/**
 * The records in flight of one partition. Records finish in any order. The offset to commit is the lowest unfinished
 * one.
 *
 * ```
 *   offset   40  41  42  43  44  45        40, 42 and 44 are done, 41 and 43 are not, 45 was not handed over yet
 *            ■   □   ■   □   ■             watermark 41, next 45
 *                ▲               ▲
 *            watermark          next
 * ```
 *
 * Every offset from the watermark to `next` is either unfinished or done. So finished offsets above the watermark need
 * no separate list. A record below `next` that the broker redelivers is recognized in both cases.
 */
export interface PartitionWindow {
  /**
   * Adds a record. `since` is the time when it could be done, in milliseconds since 1970.
   * @returns false for a known record: it is in flight or done
   */
  begin: (offset: number, bytes: number, since: number) => boolean;
  finish: (offset: number) => void;
  /** Adds all offsets below this one, if they contain no more records. */
  skipTo: (offset: number) => void;
  /** The lowest unfinished offset, or the one after the last added record. Null before the first record. */
  watermark: () => number | null;
  /** The time since which the lowest unfinished record could be done. Null if all are done. */
  unfinishedSince: () => number | null;
  readonly unfinished: number;
  readonly unfinishedBytes: number;
}

export function createPartitionWindow(): PartitionWindow {
  /** By offset. Records are added in ascending order, which a Map preserves. */
  const open = new Map<number, { readonly bytes: number; readonly since: number }>();
  let next: number | null = null;
  let unfinishedBytes = 0;

  return {
    begin: (offset, bytes, since) => {
      if (next !== null && offset < next) {
        return false;
      }
      open.set(offset, { bytes, since });
      unfinishedBytes += bytes;
      next = offset + 1;
      return true;
    },
    finish: (offset) => {
      unfinishedBytes -= open.get(offset)?.bytes ?? 0;
      open.delete(offset);
    },
    skipTo: (offset) => {
      next = Math.max(next ?? offset, offset);
    },
    watermark: () => {
      const lowest = open.keys().next();
      return lowest.done === true ? next : lowest.value;
    },
    unfinishedSince: () => open.values().next().value?.since ?? null,
    get unfinished() {
      return open.size;
    },
    get unfinishedBytes() {
      return unfinishedBytes;
    },
  };
}
