import { setTimeout as pause } from 'node:timers/promises';

import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';

/**
 * The error for a delivery group whose committed offsets have expired. The operator must set the offsets of the group.
 */
class ExpiredOffsetsError extends Error {
  override readonly name = 'ExpiredOffsetsError';
}

interface OffsetSources {
  readonly groups: GroupOffsets;
  readonly offsets: TopicOffsets;
}

const timeoutMs = 30_000;
const retryPauseMs = 200;

/**
 * Rejects the start of a group whose committed offsets have expired. Kafka deletes the committed offsets of a group
 * that was empty for seven days. If the group restarted from the beginning, it would match old events against the
 * current webhooks.
 *
 * A group commits before its first outcome. So outcomes without committed offsets show that the offsets have expired.
 * @throws ExpiredOffsetsError
 */
export async function rejectExpiredOffsets(sources: OffsetSources, groupId: string): Promise<void> {
  const [committed, deliveries] = await readOffsets(sources, groupId);
  if (committed.every((offset) => offset === null) && deliveries.some((end) => end > 0)) {
    throw new ExpiredOffsetsError(
      `The committed offsets of the group ${groupId} have expired in Kafka, although it has delivered before. ` +
        'Set its offsets: postrider offsets set --help',
    );
  }
}

/** Repeats failed reads for half a minute. A new topic, or a topic whose leader moves, has no leader for a moment. */
async function readOffsets({ groups, offsets }: OffsetSources, groupId: string) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await Promise.all([groups.committed(groupId, 'events'), offsets.ends('deliveries')]);
    } catch (error) {
      if (Date.now() >= deadline) {
        throw error;
      }
      await pause(retryPauseMs);
    }
  }
}
