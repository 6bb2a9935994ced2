/** Tells a topic that is gone from one that the brokers have only not heard of yet. */
export interface MissingTopic {
  /** Called with each error that ends a consumer's reading. */
  isGone: (error: Error) => boolean;
  /**
   * The topics are there.
   * @returns whether one had been missing: then it may be another one of the same name
   */
  found: () => boolean;
}

/** @param limitMs how long brokers may say that they do not know a topic before it counts as gone, in milliseconds */
export function createMissingTopic(limitMs: number): MissingTopic {
  let missingSince: number | null = null;
  return {
    isGone: (error) => {
      if (!saysUnknownTopic(error)) {
        return false;
      }
      missingSince ??= performance.now();
      return performance.now() - missingSince >= limitMs;
    },
    found: () => {
      const wasMissing = missingSince !== null;
      missingSince = null;
      return wasMissing;
    },
  };
}

/** kafkajs wraps the broker's answer once for each loop that has tried again; its error classes are not exported to ESM. */
function saysUnknownTopic(error: Error): boolean {
  return error.cause instanceof Error
    ? saysUnknownTopic(error.cause)
    : 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
