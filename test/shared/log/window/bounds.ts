import type { WindowBounds } from '../../../../shared/log/window/windowLimits.js';

/** Limits of this many records for each partition, whatever the number of partitions. */
export function boundsOf(records: number): WindowBounds {
  const ofPartition = { records, bytes: 1_000_000 };
  return { ofPartition, inAll: { records: Infinity, bytes: Infinity }, least: ofPartition };
}
