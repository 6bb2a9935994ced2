import type { WindowBounds } from '../../../../shared/log/window/windowLimits.js';

/** A window of so many records for each partition, however many partitions there are. */
export function boundsOf(records: number): WindowBounds {
  const ofPartition = { records, bytes: 1_000_000 };
  return { ofPartition, inAll: { records: Infinity, bytes: Infinity }, least: ofPartition };
}
