import type { TopicName } from '../topics/names.js';

export interface TopicPartition {
  readonly topic: TopicName;
  readonly partition: number;
}

export interface TopicPartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** A key for maps: objects are not equal by what is in them. */
export function nameOfPartition({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
