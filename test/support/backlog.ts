import { createIdentifiers } from '../../shared/domain/identifiers.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import { createRandom } from '../../shared/random.js';
import { encodeEvent } from '../../shared/topics/events.js';

/** Appends so many live events of an account at once, as a foreign producer would; gives their ids. */
export async function appendBacklog(
  log: LogAppender,
  accountId: string,
  count: number,
): Promise<readonly string[]> {
  const identifiers = createIdentifiers(createRandom());
  const created = new Date();
  const ids = Array.from({ length: count }, () => identifiers.create('evt', created));
  const data = Buffer.from('{}');
  await Promise.all(
    ids.map((id) =>
      log.append(
        encodeEvent({
          id,
          accountId,
          mode: 'live',
          type: 'order.completed',
          created,
          data,
          onlyWebhookId: null,
        }),
      ),
    ),
  );
  return ids;
}
