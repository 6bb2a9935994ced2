import { identifierTime } from '../../shared/domain/core/identifiers.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import type { Stores } from '../environment/stores.js';

/** Where the deliveries go on: behind all events, or a while before the newest that the read model has an outcome of. */
export type Start = 'end' | 'model';

export interface SetOffsets {
  readonly group: string;
  /** By partition of `events`, the offset that is read next. */
  readonly offsets: readonly number[];
  /** How many records stand below these. */
  readonly skipped: number;
}

/**
 * More than anything waits without an outcome or a deferral, but for an outage: what is met again in it is looked up, and not
 * delivered twice.
 */
const marginMs = 60 * 60 * 1000;

/**
 * Sets where a group that Kafka has forgotten goes on in `events`.
 * @throws CommandFailure where the group has committed offsets, or the model knows no outcome
 */
export async function setOffsets(stores: Stores, group: string, start: Start): Promise<SetOffsets> {
  const committed = await stores.groups.committed(group, 'events');
  if (committed.some((offset) => offset !== null)) {
    throw new CommandFailure(`Kafka knows where the group ${group} stands: nothing was changed.`);
  }
  const offsets = start === 'end' ? await stores.offsets.ends('events') : await offsetsFromModel(stores);
  await stores.groups.set(group, 'events', offsets);
  return { group, offsets, skipped: offsets.reduce((sum, offset) => sum + offset, 0) };
}

async function offsetsFromModel({ models, groups }: Stores): Promise<readonly number[]> {
  const [newest] = await models.events.findPage({
    // Ids of events sort by time, and the index is walked from its end.
    ranges: [{ filter: { 'deliveries.0': { $exists: true } }, sort: { _id: -1 } }],
    limit: 1,
    index: { _id: 1 },
  });
  if (newest === undefined) {
    throw new CommandFailure(
      'The read model has no outcome of any event: use --to-end, or rebuild it first.',
    );
  }
  return groups.at('events', new Date(identifierTime(newest._id).getTime() - marginMs));
}
