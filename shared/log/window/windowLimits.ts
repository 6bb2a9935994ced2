import type { PartitionWindow } from './partitionWindow.js';

/** A number of records, and of bytes of keys and values. */
export interface WindowSize {
  readonly records: number;
  readonly bytes: number;
}

export interface WindowBounds {
  /** The limit for the unfinished records of one partition. */
  readonly ofPartition: WindowSize;
  /**
   * The limit for the unfinished records of all partitions together. Beyond this limit, each partition has only the
   * minimum window.
   */
  readonly inAll: WindowSize;
  readonly least: WindowSize;
}

/** The remaining room in the window of a partition, and in all windows together. */
export interface WindowLimits {
  take: (bytes: number) => void;
  give: (bytes: number) => void;
  isFull: (window: PartitionWindow) => boolean;
  /** Whether a full window has enough room to be filled again. */
  isHalfEmpty: (window: PartitionWindow) => boolean;
}

/**
 * A partition's window is large while the common limit has room, so that a slow record delays few other records. With
 * any number of partitions, the process has at most the common limit plus the minimum of each partition in memory.
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
