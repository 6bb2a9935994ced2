import type { Config } from '../../shared/settings/config.js';
import { readGroupLags, type GroupLag } from '../../shared/log/lag/groupLags.js';
import { createOffsetTimestamps } from '../../shared/log/client/offsetTimestamps.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { deliveryGroups, type GroupDefinition } from '../../shared/log/topics/groups.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { withKafka } from '../environment/withKafka.js';

/** The lag of a consumer group with its sums, in the form that `lag` prints. */
export interface ListedLag extends Omit<GroupLag, 'partitions'> {
  readonly lag: number;
  /** The age of the oldest unfinished record, or null if there is no such record or its time is unknown. */
  readonly oldestUnfinishedSeconds: number | null;
  readonly partitions: readonly ListedPartition[];
}

export interface ListedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  readonly committed: number | null;
  readonly lag: number;
  readonly oldestUnfinishedSeconds: number | null;
}

/**
 * Reads the lag of each consumer group.
 * @param only one group, with or without the prefix of the topics, or null for all groups
 * @throws CommandFailure if the group does not exist
 */
export async function readLags(config: Config, only: string | null): Promise<readonly ListedLag[]> {
  const { prefix } = config.topics;
  const lags = await withKafka(config, async (kafka) => {
    const admin = kafka.admin();
    await admin.connect();
    try {
      const times = createOffsetTimestamps(kafka, prefix);
      return await readGroupLags({ admin, times, prefix }, (known) => groupsOf(prefix, known));
    } finally {
      await admin.disconnect();
    }
  });
  const chosen = lags.filter(({ group }) => only === null || group === only || group === `${prefix}${only}`);
  if (chosen.length === 0) {
    const names = lags.map(({ group }) => group).join(', ');
    throw new CommandFailure(`Group ${String(only)} does not exist. The groups are: ${names}.`);
  }
  const now = new Date();
  return chosen.map((group) => listedLag(group, now));
}

/**
 * The consumer groups of the deliveries and the read models, including groups that Kafka does not know, and all other
 * groups with the prefix.
 */
function groupsOf(prefix: string, known: readonly string[]): readonly GroupDefinition[] {
  const deliveries = deliveryGroups(prefix);
  const models = Object.entries(modelDefinitions).flatMap(([model, { version, topics }]) => {
    const own = known.filter((groupId) => groupId.startsWith(`${prefix}${model}.v`));
    // Each generation of a read model has its own consumer group, whatever its version.
    const groupIds = own.length === 0 ? [`${prefix}${model}.v${version}`] : own;
    return groupIds.map((groupId) => ({ groupId, topics }));
  });
  const own = [...deliveries, ...models];
  const others = known.filter((groupId) => !own.some((group) => group.groupId === groupId));
  return [...own, ...others.map((groupId) => ({ groupId, topics: [] }))];
}

function listedLag({ partitions, ...group }: GroupLag, now: Date): ListedLag {
  const listed = partitions.map(({ oldest, ...partition }) => ({
    ...partition,
    oldestUnfinishedSeconds: oldest === null ? null : secondsBetween(oldest, now),
  }));
  const ages = listed.flatMap(({ oldestUnfinishedSeconds }) => oldestUnfinishedSeconds ?? []);
  return {
    ...group,
    lag: listed.reduce((sum, { lag }) => sum + lag, 0),
    oldestUnfinishedSeconds: ages.length === 0 ? null : Math.max(...ages),
    partitions: listed,
  };
}

/**
 * The time between two moments in seconds, at least 0. The clock of a producer may be ahead of this machine's clock.
 */
function secondsBetween(earlier: Date, later: Date): number {
  return Math.max(0, Math.round((later.getTime() - earlier.getTime()) / 1000));
}
