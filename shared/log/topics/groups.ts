import { tierTopics, type TopicName } from './names.js';

/** A consumer group and its topics. */
export interface GroupDefinition {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
}

/** The consumer group that makes the first attempts of events. */
export function deliveryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}delivery`, topics: ['events'] };
}

/** The consumer group that starts the cycles that resends and replays have requested. */
export function requestsGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}requests`, topics: ['deliveries'] };
}

/** The consumer group that runs replays. The record of a replay is unfinished until the replay ends. */
export function replaysGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}replays`, topics: ['replays'] };
}

/**
 * The consumer group of the retry tiers. All retry tiers have one group, so that one process handles all records of a
 * delivery.
 */
export function retryGroup(prefix: string): GroupDefinition {
  return { groupId: `${prefix}retry`, topics: tierTopics };
}

/** All consumer groups of the role `delivery`. */
export function deliveryGroups(prefix: string): readonly GroupDefinition[] {
  return [deliveryGroup(prefix), requestsGroup(prefix), replaysGroup(prefix), retryGroup(prefix)];
}
