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
It may run as often as you like, also while the service runs.

  refused   a topic has another number of partitions than POSTRIDER_PARTITIONS says: keys would move. Topics are missing and the
            cluster has fewer brokers than POSTRIDER_REPLICATION says
  changed   the retention of "events" and "deliveries" where POSTRIDER_EVENT_RETENTION says another one: what is older than a
            shorter one is deleted by the brokers soon after
  warned    fewer copies than POSTRIDER_REPLICATION says, and any other configuration that is not as it is created. It stays as it
            is: kafka-reassign-partitions and kafka-configs change it`;

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('create the topics that are missing and check the others')
    .option('--dry-run', 'change nothing, and say what would be done')
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
  return lines.length === 0 ? 'All topics are there.' : lines.join('\n');
}

function changeOf({ topic, property, found, wanted }: TopicDifference): string {
  return `${property} of ${topic} from ${valueText(property, found)} to ${valueText(property, wanted)}`;
}

function warningOf({ topic, property, found, wanted }: TopicDifference): string {
  return `${property} of ${topic} is ${valueText(property, found)} and ought to be ${valueText(property, wanted)}. It stays.`;
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
