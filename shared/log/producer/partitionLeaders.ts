/** The known leaders of partitions. */
export interface PartitionLeaders {
  /** Returns the broker id of a partition's leader. An unknown leader is null, and is requested in the background. */
  readonly of: (topic: string, partition: number) => number | null;
  /** Marks the leaders of a topic as outdated. */
  readonly forget: (topic: string) => void;
}

const askedAgainAfterMs = 1000;

/**
 * A cache of partition leaders. A leader is cached until its topic is marked as outdated.
 * @param fetchLeaders requests the leader of each partition of a topic from the brokers
 */
export function createPartitionLeaders(
  fetchLeaders: (topic: string) => Promise<ReadonlyMap<number, number>>,
): PartitionLeaders {
  const topics = new Map<string, ReadonlyMap<number, number>>();
  const askedAt = new Map<string, number>();

  const ask = async (topic: string) => {
    try {
      topics.set(topic, await fetchLeaders(topic));
    } catch {
      // A failed request for leaders is ignored, because no caller waits for it. The next append requests the leaders
      // again.
    }
  };

  const askSometimes = (topic: string) => {
    const now = performance.now();
    if (now - (askedAt.get(topic) ?? -Infinity) >= askedAgainAfterMs) {
      askedAt.set(topic, now);
      void ask(topic);
    }
  };

  return {
    of: (topic, partition) => {
      const known = topics.get(topic);
      if (known === undefined) {
        askSometimes(topic);
      }
      return known?.get(partition) ?? null;
    },
    forget: (topic) => topics.delete(topic),
  };
}
