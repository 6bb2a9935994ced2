import type { Command } from 'commander';

import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { print } from '../terminal/output.js';
import { resetExpiredOffsets, type ResetOffsets } from '../offsets/resetExpiredOffsets.js';
import { withStores } from '../environment/stores.js';

interface SetOptions {
  readonly toEnd?: boolean;
  readonly fromModel?: boolean;
  readonly json?: boolean;
}

const explanation = `
Kafka expires the offsets of a group after seven days without a member (offsets.retention.minutes). Without
offsets, "postrider delivery" does not start, because it would deliver old events to the present webhooks.

  --to-end      Deliver only events that are posted from now on. Events since the deliveries stopped are not delivered.
  --from-model  Deliver from an hour before the newest event with an outcome in the read model. Events that have an
                outcome or a scheduled retry are not delivered again.

The command fails while the group has committed offsets. No delivery process may run.`;

export function addOffsetsCommands(program: Command): void {
  const offsets = program
    .command('offsets')
    .description('set the offsets of the delivery group after Kafka has expired them');
  offsets
    .command('set')
    .description('set the offsets of the delivery group')
    .option('--to-end', 'start after all events')
    .option('--from-model', 'start near the newest outcome in the read model')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async (options: SetOptions, command: Command) => {
      if ((options.toEnd === true) === (options.fromModel === true)) {
        command.error('error: pass either --to-end or --from-model', { exitCode: 2 });
      }
      const config = await readConfig();
      const group = deliveryGroup(config.topics.prefix).groupId;
      const start = options.toEnd === true ? 'end' : 'model';
      const set = await withStores(config, (stores) => resetExpiredOffsets(stores, group, start));
      logOperatorCommand(config, 'offsets set', { group, start });
      print(options.json === true ? set : describe(set));
    });
}

function describe({ group, offsets, skipped }: ResetOffsets): string {
  const lines = offsets.map((offset, partition) => `partition ${partition}: offset ${offset}`);
  return [...lines, `${group} starts after ${skipped} events.`].join('\n');
}
