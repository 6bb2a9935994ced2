/** Distinguishes a missing topic from one that the brokers do not know yet. */
export interface MissingTopic {
  /** Called with each error that interrupts the consumer. */
  isGone: (error: Error) => boolean;
  /**
   * Called when the topics exist.
   * @returns whether a topic was missing, so that it may be another one with the same name
   */
  found: () => boolean;
}

/** @param limitMs how long the brokers may not know a topic before it counts as missing, in milliseconds */
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

/** kafkajs wraps the broker's error once for each retry loop. ESM cannot import its error classes. */
function saysUnknownTopic(error: Error): boolean {
  return error.cause instanceof Error
    ? saysUnknownTopic(error.cause)
    : 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
