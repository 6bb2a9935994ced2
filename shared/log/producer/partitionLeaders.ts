/** Which broker leads each partition, as far as is known. */
export interface PartitionLeaders {
  /** The id of the broker. Null where it is not known yet: it is asked for then, without anybody waiting for it. */
  readonly of: (topic: string, partition: number) => number | null;
  /** What is known of a topic may be wrong now. */
  readonly forget: (topic: string) => void;
}

const askedAgainAfterMs = 1000;

/**
 * Remembers the leaders of topics until they are forgotten.
 * @param fetchLeaders asks the brokers for the leader of each partition of a topic
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
      // The brokers are away. Nobody depends on the answer: whoever sends next has it asked for again.
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
