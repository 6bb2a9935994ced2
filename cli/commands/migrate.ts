import type { Command } from 'commander';

import type { TopicDifference } from '../../shared/log/client/topicDifferences.js';
import { readConfig } from '../environment/environment.js';
import { migrate, type Migration } from '../environment/migrateTopics.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print, printStatus } from '../terminal/output.js';

interface MigrateOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const explanation = `
You can repeat "postrider migrate" safely, also while the service runs.

  rejected  A topic has another number of partitions than POSTRIDER_PARTITIONS, so keys would move to other partitions.
            Or topics are missing and the cluster has fewer brokers than POSTRIDER_REPLICATION.
  changed   The retention of "events" and "deliveries" differs from POSTRIDER_EVENT_RETENTION. If the new retention is
            shorter, the brokers soon delete older records.
  warned    A topic has fewer replicas than POSTRIDER_REPLICATION, or its configuration differs from the initial one.
            The command does not change replicas or configurations. Use kafka-reassign-partitions and kafka-configs.`;

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .option('--dry-run', 'print the changes without making them')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async ({ dryRun = false, json = false }: MigrateOptions) => {
      const config = await readConfig();
      const migration = await migrate(config, dryRun);
      logOperatorCommand(config, dryRun ? 'migrate --dry-run' : 'migrate');
      if (json) {
        print(migration);
        return;
      }
      migration.warnings.forEach((difference) => {
        printStatus(`Warning: ${warningOf(difference)}`);
      });
      print(describe(migration, dryRun));
    });
}

function describe({ created, changed }: Migration, isDryRun: boolean): string {
  const [creates, changes] = isDryRun ? ['Would create', 'Would change'] : ['Created', 'Changed'];
  const lines = [
    ...(created.length === 0 ? [] : [`${creates}: ${created.join(', ')}`]),
    ...changed.map((difference) => `${changes}: ${changeOf(difference)}`),
  ];
  return lines.length === 0 ? 'All topics exist.' : lines.join('\n');
}

function changeOf({ topic, property, found, wanted }: TopicDifference): string {
  return `${property} of ${topic} from ${valueText(property, found)} to ${valueText(property, wanted)}`;
}

function warningOf({ topic, property, found, wanted }: TopicDifference): string {
  return (
    `${property} of ${topic} is ${valueText(property, found)}, but the expected value is ` +
    `${valueText(property, wanted)}. It was not changed.`
  );
}

const dayMs = 24 * 60 * 60 * 1000;

function valueText(property: string, value: string): string {
  if (property !== 'retention.ms') {
    return value;
  }
  const days = Number(value) / dayMs;
  return value === '-1'
    ? 'forever'
    : `${value} (${days.toLocaleString('en', { maximumFractionDigits: 2 })} days)`;
}
