import type { Command } from 'commander';

import { identifierTime } from '../../shared/domain/core/identifiers.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { CommandFailure, print } from '../terminal/output.js';

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
  const offsets = program.command('offsets');
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

/**
 * The position of the first delivery: after all events (`end`), or an hour before the newest event with an outcome in
 * the read model (`model`).
 */
export type Start = 'end' | 'model';

export interface ResetOffsets {
  readonly group: string;
  /** The offset that the group reads next, by partition of `events`. */
  readonly offsets: readonly number[];
  /** The number of skipped records, which is the sum of `offsets`. */
  readonly skipped: number;
}

/**
 * The time between the new offsets and the newest event with an outcome. This margin exceeds the time that any delivery
 * waits for an outcome or a deferral, except in an outage. The delivery role looks up events within the margin, so it
 * does not deliver them twice.
 */
const marginMs = 60 * 60 * 1000;

/**
 * Sets the offsets in `events` of a consumer group whose committed offsets have expired.
 * @throws CommandFailure if the group has committed offsets, or the read model contains no outcome
 */
export async function resetExpiredOffsets(
  stores: Stores,
  group: string,
  start: Start,
): Promise<ResetOffsets> {
  const committed = await stores.groups.committed(group, 'events');
  if (committed.some((offset) => offset !== null)) {
    throw new CommandFailure(
      `The group ${group} has committed offsets, so nothing was changed. Start "postrider delivery", which continues from them.`,
    );
  }
  const offsets = start === 'end' ? await stores.offsets.ends('events') : await offsetsFromModel(stores);
  await stores.groups.set(group, 'events', offsets);
  return { group, offsets, skipped: offsets.reduce((sum, offset) => sum + offset, 0) };
}

async function offsetsFromModel({ models, groups }: Stores): Promise<readonly number[]> {
  const [newest] = await models.events.findPage({
    // Event ids sort by time, so the query reads the index from its end.
    ranges: [{ filter: { 'deliveries.0': { $exists: true } }, sort: { _id: -1 } }],
    limit: 1,
    index: { _id: 1 },
  });
  if (newest === undefined) {
    throw new CommandFailure(
      'The read model of events contains no outcome of a delivery. Use --to-end, or rebuild ' +
        'the read model first.',
    );
  }
  return groups.at('events', new Date(identifierTime(newest._id).getTime() - marginMs));
}
