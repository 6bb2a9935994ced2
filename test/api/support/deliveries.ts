import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import type { TestAccount } from './accounts.js';

const identifiers = createIdentifiers(createRandom());

/** A unique id of an attempt. */
export function newAttemptId(): string {
  return identifiers.create('att', new Date());
}

/** Appends facts about the deliveries of an event, as the service does. */
export async function appendDeliveries(
  { service, id: accountId }: TestAccount,
  eventId: string,
  facts: readonly DeliveryFact[],
): Promise<void> {
  const records = facts.map((fact): OutgoingRecord => {
    const at = new Date();
    const context = {
      id: identifiers.createRecordId(at),
      key: eventId,
      accountId,
      mode: 'live',
      at,
    } as const;
    return deliveryRecords.encode(fact, context);
  });
  await service.withStores(async ({ log }) => {
    for (const record of records) {
      await log.append(record);
    }
  });
}
