import { evolveMatched } from '../../../shared/domain/deliveries/evolveDelivery.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { DeliveryEntry } from '../../../shared/store/models/documents.js';
import type { BacklogPages } from '../../../consumers/parking/backlogPages.js';
import { start, testIdentifier } from '../../support/facts.js';

export const accountId = testIdentifier('acct');
export const webhookId = testIdentifier('wh', 1);

/** The entries of this number of deliveries that are parked in partition 0, the oldest first. */
export function parkedDeliveries(count: number): DeliveryEntry[] {
  const delivery: Delivery = evolveMatched(null, { webhookId, epoch: 0, waits: 'busy' });
  return Array.from({ length: count }, (_, offset) => ({
    ...{ accountId, webhookId, home: 0, offset, delivery },
    ...{ mode: 'live', created: start, onlyWebhookId: null },
    ...{ backlog: webhookId, lane: '-' },
    eventId: testIdentifier('evt', offset),
  }));
}

/** The page that a read model with these entries returns. */
export function pageOf(
  entries: Iterable<DeliveryEntry>,
  { home, lane, above, limit }: Parameters<BacklogPages['first']>[0],
): readonly DeliveryEntry[] {
  const page: DeliveryEntry[] = [];
  for (const entry of entries) {
    if (page.length < limit && entry.home === home && entry.lane === lane && entry.offset > above) {
      page.push(entry);
    }
  }
  return page;
}
