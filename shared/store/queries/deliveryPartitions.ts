import type { EventDocument, FoldedPositions } from '../models/documents.js';

const prefix = 'deliveries/';

/**
 * The partitions of `deliveries` with records about an event: its home partition, and each other partition that the
 * document names. Earlier versions appended the records about an event of another producer to the partition of the key.
 */
export function deliveryPartitionsOf({
  home,
  positions,
}: Pick<EventDocument, 'home' | 'positions'>): readonly number[] {
  return [...new Set([home, ...deliveryPartitionsIn(positions)])];
}

/** The partitions of `deliveries` whose records were folded into a document. */
export function deliveryPartitionsIn(positions: FoldedPositions): readonly number[] {
  return Object.keys(positions).flatMap((name) =>
    name.startsWith(prefix) ? [Number(name.slice(prefix.length))] : [],
  );
}
