import type { Command } from 'commander';

import { createBacklogPages } from '../../consumers/parking/backlogPages.js';
import { listBacklogs } from '../../consumers/parking/backlogReport.js';
import { createOffsetTimestamps } from '../../shared/log/client/offsetTimestamps.js';
import { readGroupLags, type GroupLag } from '../../shared/log/lag/groupLags.js';
import { deliveryGroups, type GroupDefinition } from '../../shared/log/topics/groups.js';
import type { Config } from '../../shared/settings/config.js';
import { connectMongo } from '../../shared/store/client/client.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { createReadModels } from '../../shared/store/models/readModels.js';
import { createEndedLives } from '../../shared/tenants/endedLives.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withKafka } from '../environment/stores.js';
import { CommandFailure, print } from '../terminal/output.js';
import { renderTable } from '../terminal/table.js';

const explanation = `
LAG is the number of records from the first unfinished one to the end of the partition. OLDEST is the age of the first
unfinished record. In the retry tiers, records wait until they are due, which may take over twelve hours. The metric
postrider_retries_overdue shows how many retry records are late.

  running  The group has members.
  stopped  The group has no members. Its next member continues from the committed offsets.
  unknown  Kafka knows neither members nor offsets of the group. The group has never committed, or its offsets have
           expired after seven days without a member. "postrider offsets set --help" explains the effect on deliveries.

A parked delivery waits for its busy webhook, and belongs to no consumer group. WEBHOOK lists the webhooks with parked
deliveries, with the age of the oldest event. The last line counts the deleted tenants whose data is not removed yet.
If MongoDB cannot be read, these numbers are unknown.`;

export function addLagCommand(program: Command): void {
  program
    .command('lag')
    .option('--group <group>', 'show one group with all of its partitions')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async ({ group, json }: { group?: string; json?: boolean }) => {
      const config = await readConfig();
      const lags = await readLags(config, group ?? null);
      const stored = group === undefined ? await readStored(config) : nothingStored;
      logOperatorCommand(config, 'lag', { group });
      const total = lags.reduce((sum, { lag }) => sum + lag, 0);
      print(
        json === true
          ? { groups: lags, total, ...(group === undefined && (stored ?? unknownStored)) }
          : `${describeLags(lags, group !== undefined)}${describeStored(stored)}`,
      );
    });
}

const groupColumns = [
  { head: 'GROUP' },
  { head: 'STATE' },
  ...['MEMBERS', 'LAG', 'OLDEST'].map((head) => ({ head, align: 'right' as const })),
];
const partitionColumns = [
  { head: 'GROUP' },
  { head: 'TOPIC' },
  ...['PARTITION', 'END', 'COMMITTED', 'LAG', 'OLDEST'].map((head) => ({ head, align: 'right' as const })),
];

const unknownGroups =
  'unknown: Kafka knows neither members nor offsets of the group. The group has never committed, or its ' +
  'offsets have expired after seven days without a member.';

/**
 * A table of the consumer groups, followed by a table of their partitions.
 * @param isWhole whether partitions without lag are included
 */
function describeLags(lags: readonly ListedLag[], isWhole: boolean): string {
  const groups = renderTable(groupColumns, lags.map(groupRow));
  const rows = lags.flatMap(({ group, partitions }) =>
    partitions.filter(({ lag }) => isWhole || lag > 0).map((partition) => partitionRow(group, partition)),
  );
  const total = `Total lag: ${lags.reduce((sum, { lag }) => sum + lag, 0)}`;
  return [
    groups,
    ...(rows.length === 0 ? [] : ['', renderTable(partitionColumns, rows)]),
    '',
    total,
    ...(lags.some(({ state }) => state === 'unknown') ? [unknownGroups] : []),
  ].join('\n');
}

const backlogColumns = [
  { head: 'WEBHOOK' },
  { head: 'ACCOUNT' },
  ...['PARKED', 'OLDEST'].map((head) => ({ head, align: 'right' as const })),
];

/** The parked deliveries of one webhook, in the form that `lag` prints. */
interface ShownBacklog {
  readonly accountId: string;
  readonly webhookId: string;
  readonly parked: number;
  /** The age of the oldest event with a parked delivery; null if it is unknown. */
  readonly oldestSeconds: number | null;
}

/** The deleted tenants whose data is not removed from all read models, in the form that `lag` prints. */
interface ShownErasures {
  readonly tenants: number;
  /** The time since the oldest of these deletions; null without one. */
  readonly oldestSeconds: number | null;
}

/** The work that is stored in MongoDB. */
interface StoredWork {
  readonly backlogs: readonly ShownBacklog[];
  readonly erasures: ShownErasures;
}

const nothingStored: StoredWork = { backlogs: [], erasures: { tenants: 0, oldestSeconds: null } };
const unknownStored = { backlogs: null, erasures: null };

/**
 * Reads the backlogs of all webhooks, the longest first, and the deletions of tenants in progress.
 * @returns null if MongoDB or a read model cannot be read, because the lags of Kafka are shown nevertheless
 */
async function readStored({ mongodb }: Config): Promise<StoredWork | null> {
  try {
    const mongo = await connectMongo(mongodb.url, 'postrider-lag', mongodb.tls);
    try {
      const { events, tenants } = createReadModels(mongo.database);
      const secondsSince = (time: number) => Math.max(0, Math.round((Date.now() - time) / 1000));
      const backlogs = await listBacklogs(createBacklogPages(events));
      const deletions = (await createEndedLives(tenants).all()).map(({ deletedAt }) => deletedAt.getTime());
      return {
        backlogs: backlogs.map(({ oldest, ...backlog }) => ({
          ...backlog,
          oldestSeconds: oldest === null ? null : secondsSince(oldest.getTime()),
        })),
        erasures: {
          tenants: deletions.length,
          oldestSeconds: deletions.length === 0 ? null : secondsSince(Math.min(...deletions)),
        },
      };
    } finally {
      await mongo.close();
    }
  } catch {
    return null;
  }
}

function describeStored(stored: StoredWork | null): string {
  return stored === null
    ? '\nParked deliveries and erasures: unknown, because MongoDB cannot be read'
    : `${describeBacklogs(stored.backlogs)}${describeErasures(stored.erasures)}`;
}

/** The number of deleted tenants whose data is not removed yet; empty if there are none. */
function describeErasures({ tenants, oldestSeconds }: ShownErasures): string {
  return tenants === 0
    ? ''
    : `\n\nDeleted tenants whose data is not removed yet: ${tenants}, the oldest for ${ageText(tenants, oldestSeconds)}`;
}

/** A table of the webhooks with parked deliveries; empty if there are none. */
function describeBacklogs(backlogs: readonly ShownBacklog[]): string {
  const rows = backlogs.map(({ webhookId, accountId, parked, oldestSeconds }) => [
    ...[webhookId, accountId, String(parked)],
    ageText(parked, oldestSeconds),
  ]);
  return rows.length === 0 ? '' : `\n\n${renderTable(backlogColumns, rows)}`;
}

function groupRow({ group, state, members, lag, oldestUnfinishedSeconds }: ListedLag): readonly string[] {
  return [group, state, String(members), String(lag), ageText(lag, oldestUnfinishedSeconds)];
}

function partitionRow(group: string, listed: ListedPartition): readonly string[] {
  const { topic, partition, end, committed, lag, oldestUnfinishedSeconds } = listed;
  const numbers = [partition, end, committed ?? 'none', lag].map(String);
  return [group, topic, ...numbers, ageText(lag, oldestUnfinishedSeconds)];
}

function ageText(lag: number, seconds: number | null): string {
  if (seconds === null) {
    return lag === 0 ? '-' : 'unknown';
  }
  const units = [
    { name: 'd', length: 86_400 },
    { name: 'h', length: 3600 },
    { name: 'm', length: 60 },
  ];
  const unit = units.find(({ length }) => seconds >= 2 * length);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit.length)}${unit.name}`;
}

/** The lag of a consumer group with its sums, in the form that `lag` prints. */
export interface ListedLag extends Omit<GroupLag, 'partitions'> {
  readonly lag: number;
  /** The age of the oldest unfinished record, or null if there is no such record or its time is unknown. */
  readonly oldestUnfinishedSeconds: number | null;
  readonly partitions: readonly ListedPartition[];
}

interface ListedPartition {
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
