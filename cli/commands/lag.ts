import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { readLags } from '../offsets/lag.js';
import { describeLags } from '../offsets/lagText.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';

const explanation = `
LAG is the records from the first that is not done to the end of the partition, OLDEST the age of that first one since it was
appended. In the retry tiers records wait until they are due, up to twelve hours and longer: what is late there is what
postrider_retries_overdue says.

  running  the group has members
  stopped  it has none, and goes on where it stood
  unknown  Kafka knows neither members nor offsets: it has never committed, or Kafka has forgotten it, as it does with a group that
           had no member for seven days. "postrider offsets set --help" says what that means for the deliveries`;

export function addLagCommand(program: Command): void {
  program
    .command('lag')
    .description('how far each consumer group is, by partition')
    .option('--group <group>', 'one group, and all of its partitions')
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
