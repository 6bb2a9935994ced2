import { nameOfPartition, type TopicPartition } from '../client/topicPartition.js';

/** The position of a consumer group in a partition. */
export interface PartitionPosition extends TopicPartition {
  /** The offset of the first unfinished record. */
  readonly offset: number;
  /** The number of unfinished records. */
  readonly lag: number;
}

/** Measures how long partitions with unfinished records stay at one offset. */
export interface StallWatch {
  /**
   * @returns how long the longest-stalled partition has been at its offset, in milliseconds; 0 if no partition is
   *   stalled
   */
  look: (positions: readonly PartitionPosition[]) => number;
}

interface Sighting {
  readonly offset: number;
  readonly since: number;
}

/** @param now the monotonic time, in milliseconds */
export function createStallWatch(now: () => number): StallWatch {
  let sightings: ReadonlyMap<string, Sighting> = new Map();
  return {
    look: (positions) => {
      const at = now();
      const unfinished = positions.filter(({ lag }) => lag > 0);
      sightings = new Map(
        unfinished.map((position) => {
          const name = nameOfPartition(position);
          const last = sightings.get(name);
          const since = last?.offset === position.offset ? last.since : at;
          return [name, { offset: position.offset, since }];
        }),
      );
      return at - Math.min(at, ...[...sightings.values()].map(({ since }) => since));
    },
  };
}
