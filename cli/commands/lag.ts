import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { readLags, type ListedLag, type ListedPartition } from '../offsets/lag.js';
import { print } from '../terminal/output.js';
import { renderTable } from '../terminal/table.js';

const explanation = `
LAG is the number of records from the first unfinished one to the end of the partition. OLDEST is the age of the first
unfinished record. In the retry tiers, records wait until they are due, which may take over twelve hours. The metric
postrider_retries_overdue shows how many retry records are late.

  running  The group has members.
  stopped  The group has no members. Its next member continues from the committed offsets.
  unknown  Kafka knows neither members nor offsets of the group. The group has never committed, or its offsets have
           expired after seven days without a member. "postrider offsets set --help" explains the effect on deliveries.`;

export function addLagCommand(program: Command): void {
  program
    .command('lag')
    .description('show the lag of each consumer group by partition')
    .option('--group <group>', 'show one group with all of its partitions')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async ({ group, json }: { group?: string; json?: boolean }) => {
      const config = await readConfig();
      const lags = await readLags(config, group ?? null);
      logOperatorCommand(config, 'lag', { group });
      const total = lags.reduce((sum, { lag }) => sum + lag, 0);
      print(json === true ? { groups: lags, total } : describeLags(lags, group !== undefined));
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
