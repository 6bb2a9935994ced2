import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { createRandom } from '../../shared/core/random.js';
import { encodeEvent } from '../../shared/log/records/events.js';

export interface AppendedEvent {
  readonly type?: string;
  readonly created: Date;
}

const data = Buffer.from('{}');

/** Appends live events of an account together, as another producer would, and returns their ids. */
export async function appendEvents(
  log: LogAppender,
  accountId: string,
  events: readonly AppendedEvent[],
): Promise<readonly string[]> {
  const identifiers = createIdentifiers(createRandom());
  return Promise.all(
    events.map(async ({ type = 'order.completed', created }) => {
      const id = identifiers.create('evt', created);
      await log.append(
        encodeEvent({
          id,
          accountId,
          mode: 'live',
          type,
          created,
          data,
          onlyWebhookId: null,
          tenantId: null,
        }),
      );
      return id;
    }),
  );
}
