import type { TopicName } from '../topics/names.js';

export interface TopicPartition {
  readonly topic: TopicName;
  readonly partition: number;
}

export interface TopicPartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** The name of a partition as a key of maps, because two equal objects are different keys. */
export function nameOfPartition({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
