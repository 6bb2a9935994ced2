import type { PartitionWindow } from './partitionWindow.js';

/** A number of records, and of bytes of keys and values. */
export interface WindowSize {
  readonly records: number;
  readonly bytes: number;
}

export interface WindowBounds {
  /** The limit of unfinished records of one partition. */
  readonly ofPartition: WindowSize;
  /** The limit for all partitions together. Beyond it, each partition has only the minimum. */
  readonly inAll: WindowSize;
  readonly least: WindowSize;
}

/** The remaining room of one partition and of all. */
export interface WindowLimits {
  take: (bytes: number) => void;
  give: (bytes: number) => void;
  isFull: (window: PartitionWindow) => boolean;
  /** Whether a full window has enough room to be filled again. */
  isHalfEmpty: (window: PartitionWindow) => boolean;
}

/**
 * The window of a partition is large while there is room, so that records after a backlog are found soon. With any
 * number of partitions, the process holds at most the common limit and the minimum of each.
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
