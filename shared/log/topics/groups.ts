import { tierTopics, type TopicName } from './names.js';

/** A consumer group and its topics. */
export interface GroupDefinition {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
}

/** First attempts. */
export function deliveryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}delivery`, topics: ['events'] };
}

/** The cycles that resends and replays have requested. */
export function requestsGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}requests`, topics: ['deliveries'] };
}

/** Replays, for as long as each of them runs. */
export function replaysGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}replays`, topics: ['replays'] };
}

/** The scheduled attempts. All tiers have one group, so that one process handles all records of a delivery. */
export function retryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}retry`, topics: tierTopics };
}

/** All groups of the role `delivery`. */
export function deliveryGroups(prefix: string): readonly GroupDefinition[] {
  return [deliveryGroup(prefix), requestsGroup(prefix), replaysGroup(prefix), retryGroup(prefix)];
}
