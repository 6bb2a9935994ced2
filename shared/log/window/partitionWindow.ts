/**
 * What one partition has under way. Records finish in any order; the offset that may be committed is
 * the lowest unfinished one.
 *
 * ```
 *   offset   40  41  42  43  44  45        40, 42 and 44 are done, 41 and 43 are not, 45 was not handed over yet
 *            ■   □   ■   □   ■             watermark 41, next 45
 *                ▲               ▲
 *            watermark          next
 * ```
 *
 * Every offset from the watermark to `next` is either unfinished or done, so what is done above the watermark needs
 * no list of its own: a record below `next` that the broker hands over again is known either way.
 */
export interface PartitionWindow {
  /**
   * Takes a record in. `since` is when it could be done, in milliseconds since 1970.
   * @returns false where it was taken in before: it is under way, or done
   */
  begin: (offset: number, bytes: number, since: number) => boolean;
  finish: (offset: number) => void;
  /** Takes in all before this offset, where there are no more records. */
  skipTo: (offset: number) => void;
  /** The lowest unfinished offset, or the one behind the last record taken in. Null before the first record. */
  watermark: () => number | null;
  /** Since when the lowest unfinished record could be done. Null where all is done. */
  unfinishedSince: () => number | null;
  readonly unfinished: number;
  readonly unfinishedBytes: number;
}

export function createPartitionWindow(): PartitionWindow {
  /** By offset; records are taken in by ascending offset, and a Map keeps that order. */
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
