import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { readLags } from '../offsets/lag.js';
import { describeLags } from '../offsets/lagText.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';

const explanation = `
LAG is the number of records from the first unfinished one to the end of the partition. OLDEST is the age of that first
record since its append. In the retry tiers, records wait until they are due, which may take over twelve hours. The
metric postrider_retries_overdue shows which of them are late.

  running  The group has members.
  stopped  The group has no members. It continues from its committed offsets.
  unknown  Kafka knows neither members nor offsets of the group. It has never committed, or its offsets have expired
           after seven days without a member. "postrider offsets set --help" explains the effect on deliveries.`;

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
