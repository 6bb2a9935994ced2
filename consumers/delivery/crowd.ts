/** Who has how much of each window of records. */
export interface Crowd {
  /**
   * Counts one more record of an owner in a window.
   * @param window names the topic and partition
   * @param now milliseconds of a monotonic clock
   */
  readonly enter: (window: string, owner: string, now: number) => Place;
}

/** A record's place in the window. */
export interface Place {
  /** Whether its owner held more than half of the window before it, and others are to be let past. */
  readonly crowded: boolean;
  /** To be called once, when the record is done or abandoned. */
  readonly leave: () => void;
}

export interface CrowdSettings {
  /** Of one partition's window, in records. */
  readonly windowRecords: number;
  /** An owner crowds only where another one was seen, in any window, at most so long ago; infinite for always. */
  readonly otherSeenWithinMs: number;
}

interface Sighting {
  readonly owner: string;
  readonly at: number;
}

/**
 * A full window pauses its partition, and whatever stands behind waits. So where one owner takes more than half, what else
 * comes of it is to be put off in place of being held.
 */
export function createCrowd({ windowRecords, otherSeenWithinMs }: CrowdSettings): Crowd {
  const held = new Map<string, number>();
  let latest: Sighting | null = null;
  let latestOther: Sighting | null = null;

  const see = (owner: string, at: number) => {
    latestOther = latest === null || latest.owner === owner ? latestOther : latest;
    latest = { owner, at };
  };

  /** Right behind `see`, so the latest one seen is the owner. */
  const isOtherAround = (now: number) =>
    otherSeenWithinMs === Infinity || (latestOther !== null && now - latestOther.at <= otherSeenWithinMs);

  return {
    enter: (window, owner, now) => {
      see(owner, now);
      const key = `${window}/${owner}`;
      const before = held.get(key) ?? 0;
      held.set(key, before + 1);
      return {
        crowded: before > windowRecords / 2 && isOtherAround(now),
        leave: () => {
          const rest = (held.get(key) ?? 0) - 1;
          if (rest > 0) {
            held.set(key, rest);
          } else {
            held.delete(key);
          }
        },
      };
    },
  };
}
