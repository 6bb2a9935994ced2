import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { createRandom } from '../../shared/core/random.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';

/** The number of concurrent appends, because the producer limits its waiting bytes. */
const portion = 1000;

export interface BacklogOptions {
  readonly data?: Buffer;
  readonly tenantId?: string | null;
  /** The type of an event by its number. */
  readonly typeOf?: (index: number) => string;
}

/** Appends live events of an account, as another producer would, and returns their ids. */
export async function appendBacklog(
  log: LogAppender,
  accountId: string,
  count: number,
  { data = Buffer.from('{}'), tenantId = null, typeOf = () => 'order.completed' }: BacklogOptions = {},
): Promise<string[]> {
  const identifiers = createIdentifiers(createRandom());
  const ids: string[] = [];
  await appendInPortions(log, count, (index) => {
    const created = new Date();
    const id = identifiers.create('evt', created);
    ids.push(id);
    return encodeEvent({
      ...{ id, accountId, tenantId, created, data },
      mode: 'live',
      type: typeOf(index),
      onlyWebhookId: null,
    });
  });
  return ids;
}

/** Appends this number of records, and creates each of them when it is appended. */
export async function appendInPortions(
  log: LogAppender,
  count: number,
  recordAt: (index: number) => OutgoingRecord,
): Promise<void> {
  for (let first = 0; first < count; first += portion) {
    const length = Math.min(portion, count - first);
    await Promise.all(Array.from({ length }, (_, index) => log.append(recordAt(first + index))));
  }
}
