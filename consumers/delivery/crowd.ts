/** Who has how much of each window of records. */
export interface Crowd {
  /**
   * Works on a record, which is one of its owner's in the window for as long as that takes.
   * @param window names the topic and partition
   * @param work is told whether its owner had more than half of the window before, and others are to be let past
   */
  readonly during: <Result>(
    window: string,
    owner: string,
    work: (isCrowded: boolean) => Promise<Result>,
  ) => Promise<Result>;
}

export interface CrowdSettings {
  /** Of one partition's window, in records. */
  readonly windowRecords: number;
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
 * A full window pauses its partition, and whatever stands behind waits. So where one owner takes more than half, what else
 * comes of it is to be put off in place of being held.
 */
export function createCrowd({ windowRecords, otherSeenWithinMs, now }: CrowdSettings): Crowd {
  const held = new Map<string, number>();
  let latest: Sighting | null = null;
  let latestOther: Sighting | null = null;

  const see = (owner: string) => {
    latestOther = latest === null || latest.owner === owner ? latestOther : latest;
    latest = { owner, at: now() };
  };

  /** Right behind `see`, so the latest one seen is the owner. */
  const isOtherAround = () =>
    otherSeenWithinMs === Infinity || (latestOther !== null && now() - latestOther.at <= otherSeenWithinMs);

  const leave = (key: string) => {
    const rest = (held.get(key) ?? 0) - 1;
    if (rest > 0) {
      held.set(key, rest);
    } else {
      held.delete(key);
    }
  };

  return {
    during: async (window, owner, work) => {
      see(owner);
      const key = `${window}/${owner}`;
      const before = held.get(key) ?? 0;
      held.set(key, before + 1);
      try {
        return await work(before > windowRecords / 2 && isOtherAround());
      } finally {
        leave(key);
      }
    },
  };
}
