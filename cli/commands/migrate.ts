import type { Command } from 'commander';

import { readConfig } from '../environment.js';
import { migrate } from '../migrate.js';
import { print } from '../output.js';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('create the topics that are missing and check the others')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIt refuses where a topic has another number of partitions than POSTRIDER_PARTITIONS says.',
    )
    .action(async (options: { json?: boolean }) => {
      const created = await migrate(await readConfig());
      const text = created.length === 0 ? 'All topics are there.' : `Created: ${created.join(', ')}`;
      print(options.json === true ? { created } : text);
    });
}
