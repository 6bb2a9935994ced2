import { identifierTime } from '../../shared/domain/core/identifiers.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import type { Stores } from '../environment/stores.js';

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
