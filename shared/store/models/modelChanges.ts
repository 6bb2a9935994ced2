import type { Document } from 'mongodb';

import type { TopicName } from '../../log/topics/names.js';
import type { MetaDocument, ModelPositions } from './generations.js';

/**
 * A filter for the documents that changed between two reads of a read model's meta document. The filter is null if no
 * partition has advanced. The filter compares offsets in the documents, not clocks. A fold writes a document before the
 * meta document passes the document's record. The earlier meta document must have been read before the earlier read of
 * the documents.
 */
export function changedDocuments(
  topic: TopicName,
  before: ModelPositions,
  now: ModelPositions,
): Document | null {
  const earlier = before[topic] ?? {};
  const moved = Object.entries(now[topic] ?? {}).flatMap(([partition, offset]) => {
    const from = earlier[partition] ?? 0;
    return offset > from ? [{ [`positions.${topic}/${partition}`]: { $gte: from } }] : [];
  });
  return moved.length === 0 ? null : { $or: moved };
}

/**
 * Whether a later meta document belongs to the same generation, without skipped records. Another generation may lack
 * documents of the earlier generation.
 */
export function isContinued(topic: TopicName, before: MetaDocument, now: MetaDocument): boolean {
  const positions = now.positions[topic] ?? {};
  return (
    before.begunAt?.getTime() === now.begunAt?.getTime() &&
    Object.entries(before.positions[topic] ?? {}).every(
      ([partition, offset]) => (positions[partition] ?? 0) >= offset,
    )
  );
}
