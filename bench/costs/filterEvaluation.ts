import process from 'node:process';

import { createSharedTurns } from '../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../shared/filters/filters.js';

/** A filter as a customer of a shop would have it. Each condition holds for the typical event. */
const filter = JSON.stringify({
  type: { $startsWith: 'order.' },
  data: { amount: { $gte: 1000 }, currency: { $in: ['eur', 'usd'] }, customer: { country: 'DE' } },
});

/** An event with 1 KiB of data. */
const event = {
  id: 'evt_01JD0000000000000000000000',
  type: 'order.completed',
  created: new Date('2026-11-27T06:46:40.628Z'),
  tenantId: null,
  data: Buffer.from(
    JSON.stringify({
      amount: 4200,
      currency: 'eur',
      customer: { id: 'cus_0123456789', country: 'DE' },
      items: [{ sku: 'sku_0123456789', quantity: 1 }],
      note: 'postrider '.repeat(88),
    }),
  ),
};

/**
 * @param webhooks the number of webhooks whose filters are evaluated for each event
 * @returns the CPU time of one filter, with its share of the parsing of the event, in milliseconds
 */
export async function costOfFilter(events: number, webhooks: number): Promise<number> {
  const filters = createFilters({ turns: createSharedTurns(), seconds: { observe: () => undefined } });
  const items = Array.from({ length: webhooks }, (_, index) => index);
  const evaluateAll = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const matching = await filters.select(items, () => filter, event);
      if (matching.length !== webhooks) {
        throw new Error('The filter does not hold for the typical event.');
      }
    }
  };
  await evaluateAll(events);
  const before = process.cpuUsage();
  await evaluateAll(events);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / events / webhooks;
}
