import { tierTopics, type TopicName } from './names.js';

/** A consumer group and what it reads. */
export interface GroupDefinition {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
}

/** First attempts. */
export function deliveryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}delivery`, topics: ['events'] };
}

/** Cycles that resends and replays have asked for. */
export function requestsGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}requests`, topics: ['deliveries'] };
}

/** Replays, for as long as each of them runs. */
export function replaysGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}replays`, topics: ['replays'] };
}

/** Planned attempts: one group for all tiers, so that all work of a pair is one process's. */
export function retryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}retry`, topics: tierTopics };
}

/** All groups of the role `delivery`. */
export function deliveryGroups(prefix: string): readonly GroupDefinition[] {
  return [deliveryGroup(prefix), requestsGroup(prefix), replaysGroup(prefix), retryGroup(prefix)];
}
