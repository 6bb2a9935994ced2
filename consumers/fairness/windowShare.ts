import { nameOfPartition } from '../../shared/log/client/topicPartition.js';
import type { WindowSize } from '../../shared/log/window/windowLimits.js';
import { sizeOfRecord, type RawRecord } from '../../shared/log/encoding/record.js';

/** Lets the records of many owners into windows that they share. */
export interface WindowShare {
  /**
   * Takes in a record, which is one of its owner's from now on until it leaves.
   * @returns whether its owner had more than half of the room before, and others are to be let past
   */
  readonly enter: (record: RawRecord, owner: string) => boolean;
  readonly leave: (record: RawRecord, owner: string) => void;
  /**
   * Does both around the work on a record.
   * @param work is told what `enter` gave
   */
  readonly during: <Result>(
    record: RawRecord,
    owner: string,
    work: (isOverShare: boolean) => Promise<Result>,
  ) => Promise<Result>;
}

export interface WindowShareSettings {
  /** The room of one partition's window, and of all windows together. */
  readonly ofPartition: WindowSize;
  readonly inAll: WindowSize;
  /** An owner crowds only where another one was seen, in any window, at most so long ago; infinite for always. */
  readonly otherSeenWithinMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Sighting {
  readonly owner: string;
  readonly at: number;
}

/**
 * A full window pauses its partition, and whatever stands behind waits. So where one owner takes more than half of the room,
 * what else comes of it is to be put off in place of being held. Up to there it is held: a record that waits is cheap, and one
 * that is put off takes two more in the log, and another each time that it comes back too early.
 */
export function createWindowShare(settings: WindowShareSettings): WindowShare {
  const { ofPartition, inAll, otherSeenWithinMs, now } = settings;
  const held = createShares();
  let latest: Sighting | null = null;
  let latestOther: Sighting | null = null;

  const see = (owner: string) => {
    latestOther = latest === null || latest.owner === owner ? latestOther : latest;
    latest = { owner, at: now() };
  };

  /** Right behind `see`, so the latest one seen is the owner. */
  const isOtherAround = () =>
    otherSeenWithinMs === Infinity || (latestOther !== null && now() - latestOther.at <= otherSeenWithinMs);

  const enter: WindowShare['enter'] = (record, owner) => {
    see(owner);
    const bytes = sizeOfRecord(record);
    const inWindow = inWindowOf(record, owner);
    const takesMost = held.hasMost(inWindow, ofPartition) || held.hasMost(owner, inAll);
    held.add(inWindow, bytes);
    held.add(owner, bytes);
    return takesMost && isOtherAround();
  };

  const leave: WindowShare['leave'] = (record, owner) => {
    const bytes = sizeOfRecord(record);
    held.remove(inWindowOf(record, owner), bytes);
    held.remove(owner, bytes);
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

function inWindowOf(record: RawRecord, owner: string): string {
  return `${nameOfPartition(record)}/${owner}`;
}

/** How much each has of what it shares. */
function createShares() {
  const shares = new Map<string, { records: number; bytes: number }>();

  return {
    hasMost: (name: string, room: WindowSize): boolean => {
      const share = shares.get(name);
      return share !== undefined && (share.records > room.records / 2 || share.bytes > room.bytes / 2);
    },
    add: (name: string, bytes: number) => {
      const share = shares.get(name);
      if (share === undefined) {
        shares.set(name, { records: 1, bytes });
      } else {
        share.records += 1;
        share.bytes += bytes;
      }
    },
    remove: (name: string, bytes: number) => {
      const share = shares.get(name);
      if (share === undefined || share.records === 1) {
        shares.delete(name);
      } else {
        share.records -= 1;
        share.bytes -= bytes;
      }
    },
  };
}
