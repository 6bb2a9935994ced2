import { setTimeout as pause } from 'node:timers/promises';

import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';

/** Kafka has forgotten where the deliveries stood: whoever runs the service has to say where they go on. */
class ForgottenGroupError extends Error {
  override readonly name = 'ForgottenGroupError';
}

interface Stored {
  readonly groups: GroupOffsets;
  readonly offsets: TopicOffsets;
}

const patienceMs = 30_000;
const pauseMs = 200;

/**
 * Refuses to begin anew where the group has begun before: it would match old events against the webhooks of today. Whoever
 * has written an outcome had committed before; Kafka forgets the commits of a group that was empty for seven days.
 * @throws ForgottenGroupError
 */
export async function rejectExpiredOffsets(stored: Stored, groupId: string): Promise<void> {
  const [committed, deliveries] = await readPatiently(stored, groupId);
  if (committed.every((offset) => offset === null) && deliveries.some((end) => end > 0)) {
    throw new ForgottenGroupError(
      `Kafka has forgotten the offsets of the group ${groupId}, which has delivered before. ` +
        'Say where it goes on: postrider offsets set --help',
    );
  }
}

/** A topic that was just made, or whose leader moves, has nobody who answers for a moment. */
async function readPatiently({ groups, offsets }: Stored, groupId: string) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await Promise.all([groups.committed(groupId, 'events'), offsets.ends('deliveries')]);
    } catch (error) {
      if (Date.now() >= deadline) {
        throw error;
      }
      await pause(pauseMs);
    }
  }
}
