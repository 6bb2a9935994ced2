import type { Command } from 'commander';

import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { setOffsets, type SetOffsets } from '../offsets/setOffsets.js';
import { withStores } from '../environment/stores.js';

interface SetOptions {
  readonly toEnd?: boolean;
  readonly fromModel?: boolean;
  readonly json?: boolean;
}

const explanation = `
Kafka forgets where a group stands that had no member for seven days (offsets.retention.minutes). "postrider delivery" then
refuses to start, because from the beginning it would match old events against the webhooks of today.

  --to-end      deliver what is posted from now on; events since the deliveries stopped are not delivered
  --from-model  deliver from an hour before the newest event that the read model has an outcome of; what has an outcome or is
                planned is not delivered again

It refuses while Kafka knows where the group stands. No delivery process may run.`;

export function addOffsetsCommands(program: Command): void {
  const offsets = program.command('offsets').description('where deliveries go on that Kafka has forgotten');
  offsets
    .command('set')
    .description('set where the deliveries go on')
    .option('--to-end', 'behind all events')
    .option('--from-model', 'where the read model says that deliveries stopped')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async (options: SetOptions, command: Command) => {
      if ((options.toEnd === true) === (options.fromModel === true)) {
        command.error('error: say one of --to-end and --from-model', { exitCode: 2 });
      }
      const config = await readConfig();
      const group = deliveryGroup(config.topics.prefix).groupId;
      const start = options.toEnd === true ? 'end' : 'model';
      const set = await withStores(config, (stores) => setOffsets(stores, group, start));
      logOperatorCommand(config, 'offsets set', { group, start });
      print(options.json === true ? set : describe(set));
    });
}

function describe({ group, offsets, skipped }: SetOffsets): string {
  const lines = offsets.map((offset, partition) => `partition ${partition}: from ${offset} on`);
  return [...lines, `${group} goes on behind ${skipped} events.`].join('\n');
}
