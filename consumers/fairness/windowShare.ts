import { nameOfPartition } from '../../shared/log/client/topicPartition.js';
import { sizeOfRecord, type RawRecord } from '../../shared/log/encoding/record.js';
import type { WindowSize } from '../../shared/log/window/windowLimits.js';

/** The shares of many owners in the windows of partitions. */
export interface WindowShare {
  /**
   * Counts a record for its owner until `leave`.
   * @returns whether the owner is over its share: it already had more than half of a window that other owners need
   */
  readonly enter: (record: RawRecord, owner: string) => boolean;
  readonly leave: (record: RawRecord, owner: string) => void;
  /** Calls `enter` before the work on a record, and `leave` after it. */
  readonly during: <Result>(
    record: RawRecord,
    owner: string,
    work: (isOverShare: boolean) => Promise<Result>,
  ) => Promise<Result>;
}

export interface WindowShareSettings {
  /** The size of one partition's window, and of all windows together. */
  readonly ofPartition: WindowSize;
  readonly inAll: WindowSize;
  /**
   * An owner can be over its share only if another owner was seen within this time. Infinity removes this condition.
   */
  readonly otherSeenWithinMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Sighting {
  readonly owner: string;
  readonly at: number;
}

/**
 * The window shares of owners, which are accounts, tenants or webhooks. A full window pauses its partition and blocks the
 * records behind it. So if one owner has more than half of a window, the owner's further records are deferred instead
 * of kept in the window. Up to its share an owner's records wait in the window, because that wait is cheap. A deferral
 * appends two records to the log, and one more each time that the retry returns too early.
 */
export function createWindowShare(settings: WindowShareSettings): WindowShare {
  const { ofPartition, inAll, otherSeenWithinMs, now } = settings;
  const shares = createShares();
  let latest: Sighting | null = null;
  let latestOther: Sighting | null = null;

  const see = (owner: string) => {
    latestOther = latest === null || latest.owner === owner ? latestOther : latest;
    latest = { owner, at: now() };
  };

  /** Whether another owner was seen lately. The caller calls `see` immediately before, so `latest` is the owner. */
  const wasOtherSeen = () =>
    otherSeenWithinMs === Infinity || (latestOther !== null && now() - latestOther.at <= otherSeenWithinMs);

  const enter: WindowShare['enter'] = (record, owner) => {
    see(owner);
    const bytes = sizeOfRecord(record);
    const ownerInWindow = windowKey(record, owner);
    const hasMost = shares.hasMost(ownerInWindow, ofPartition) || shares.hasMost(owner, inAll);
    shares.add(ownerInWindow, bytes);
    shares.add(owner, bytes);
    return hasMost && wasOtherSeen();
  };

  const leave: WindowShare['leave'] = (record, owner) => {
    const bytes = sizeOfRecord(record);
    shares.remove(windowKey(record, owner), bytes);
    shares.remove(owner, bytes);
  };

  return {
    enter,
    leave,
    during: async (record, owner, work) => {
      const isOverShare = enter(record, owner);
      try {
        return await work(isOverShare);
      } finally {
        leave(record, owner);
      }
    },
  };
}

function windowKey(record: RawRecord, owner: string): string {
  return `${nameOfPartition(record)}/${owner}`;
}

/** The counts of records and bytes, by owner and by owner in one window. */
function createShares() {
  const byName = new Map<string, { records: number; bytes: number }>();

  return {
    hasMost: (name: string, size: WindowSize): boolean => {
      const share = byName.get(name);
      return share !== undefined && (share.records > size.records / 2 || share.bytes > size.bytes / 2);
    },
    add: (name: string, bytes: number) => {
      const share = byName.get(name);
      if (share === undefined) {
        byName.set(name, { records: 1, bytes });
      } else {
        share.records += 1;
        share.bytes += bytes;
      }
    },
    remove: (name: string, bytes: number) => {
      const share = byName.get(name);
      if (share === undefined || share.records === 1) {
        byName.delete(name);
      } else {
        share.records -= 1;
        share.bytes -= bytes;
      }
    },
  };
}
