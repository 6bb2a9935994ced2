import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { eventually } from '../../support/eventually.js';
import type { ReceivedRequest, Receiver } from '../../support/receiver.js';
import type { TestAccount } from './accounts.js';
import { read, type Client } from './client.js';

const identifiers = createIdentifiers(createRandom());

/** A unique id of an attempt. */
export function newAttemptId(): string {
  return identifiers.create('att', new Date());
}

/**
 * The requests to a receiver whose attempts began after a moment. The receiver may read a request late on a slow machine, so the time
 * of the attempt decides.
 */
export async function begunAfter(
  client: Client,
  receiver: Receiver,
  moment: number,
): Promise<readonly ReceivedRequest[]> {
  const late = receiver.requests.filter(({ receivedAt }) => receivedAt > moment);
  const begun = await Promise.all(
    late.map(({ headers }) =>
      eventually('the attempt of a request', async () => {
        const path = `/v1/events/${String(headers['webhook-id'])}/attempts`;
        const { data } = read(await client.get(path), attemptListSchema);
        return data.length === 0 ? null : data.some(({ attemptedAt }) => Date.parse(attemptedAt) > moment);
      }),
    ),
  );
  return late.filter((_request, index) => begun[index] === true);
}

/** Appends facts about the deliveries of an event, as the service does. */
export async function appendDeliveries(
  { service, id: accountId }: Pick<TestAccount, 'service' | 'id'>,
  eventId: string,
  facts: readonly DeliveryFact[],
): Promise<void> {
  const home = placementOf({ id: eventId }, service.config.topics.partitions);
  const records = facts.map((fact): OutgoingRecord => {
    const at = new Date();
    const context = {
      id: identifiers.createRecordId(at),
      key: eventId,
      accountId,
      mode: 'live',
      at,
    } as const;
    return deliveryRecords.encode(fact, context, home);
  });
  await service.withStores(async ({ log }) => {
    for (const record of records) {
      await log.append(record);
    }
  });
}
