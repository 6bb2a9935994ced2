import type { PartitionWindow } from './partitionWindow.js';

/** So many records, and so many bytes of keys and values. */
export interface WindowSize {
  readonly records: number;
  readonly bytes: number;
}

export interface WindowBounds {
  /** What of one partition may be unfinished. */
  readonly ofPartition: WindowSize;
  /** What of all partitions together may be unfinished before each of them has to do with the least. */
  readonly inAll: WindowSize;
  readonly least: WindowSize;
}

/** How much more may be taken in, of one partition and of all. */
export interface WindowLimits {
  take: (bytes: number) => void;
  give: (bytes: number) => void;
  isFull: (window: PartitionWindow) => boolean;
  /** Whether a full window has come to where it may be filled again. */
  isHalfEmpty: (window: PartitionWindow) => boolean;
}

/**
 * A partition may hold much while there is room for it, so that what stands behind a backlog is met soon; and with any number
 * of partitions the process holds no more than all of them together may, and the least of each.
 */
export function createWindowLimits({ ofPartition, inAll, least }: WindowBounds): WindowLimits {
  let records = 0;
  let bytes = 0;
  const bound = () => (records < inAll.records && bytes < inAll.bytes ? ofPartition : least);

  return {
    take: (size) => {
      records += 1;
      bytes += size;
    },
    give: (size) => {
      records -= 1;
      bytes -= size;
    },
    isFull: ({ unfinished, unfinishedBytes }) =>
      unfinished >= bound().records || unfinishedBytes >= bound().bytes,
    isHalfEmpty: ({ unfinished, unfinishedBytes }) =>
      unfinished <= bound().records / 2 && unfinishedBytes <= bound().bytes / 2,
  };
}
