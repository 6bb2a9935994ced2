import { print } from '../../cli/terminal/output.js';
import { createSharedTurns } from '../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../shared/filters/filters.js';

const webhooks = 100;
const events = 2000;
const rounds = 11;
const dataBytes = 1024;

/** The filter of a webhook, as customers write it: a few fields of the data, on two levels. */
function filterOf(webhook: number): string {
  const amount = { $gte: webhook };
  return JSON.stringify({ data: { amount, currency: { $in: ['eur', 'usd'] }, customer: { country: 'DE' } } });
}

/** The data of an event, with 1 KiB as the texts of its lines. Every filter has to look at each of its fields. */
function dataOf(event: number): Buffer {
  const data = { amount: 1000 + event, currency: 'eur', customer: { id: `cus_${event}`, country: 'DE' } };
  const line = (at: number) => ({ sku: `A-${String(event)}-${String(at)}`, count: at, price: 12.5 });
  const lines: object[] = [];
  while (JSON.stringify({ ...data, lines }).length < dataBytes) {
    lines.push(line(lines.length));
  }
  return Buffer.from(JSON.stringify({ ...data, lines }));
}

const filters = createFilters({ turns: createSharedTurns(), seconds: { observe: () => undefined } });
const texts = Array.from({ length: webhooks }, (_, webhook) => filterOf(webhook));
const created = new Date();
const contents = Array.from({ length: events }, (_, event) => dataOf(event));

/** The microseconds that an event takes at webhooks with these filters, in the median of the rounds. */
async function microseconds(items: readonly string[]): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    for (const data of contents) {
      const event = { id: 'evt_1', type: 'order.completed', created, tenantId: null, data };
      await filters.select(items, (text) => text, event);
    }
    taken.push(((performance.now() - began) * 1000) / events);
  }
  return taken.toSorted((one, other) => one - other)[(rounds - 1) / 2] ?? Number.NaN;
}

const none = await microseconds([]);
const one = await microseconds(texts.slice(0, 1));
const all = await microseconds(texts);
const each = (all - one) / (webhooks - 1);
print(`the first filter of an event, which parses 1 KiB of data: ${(one - none).toFixed(2)} µs`);
print(`each further filter: ${each.toFixed(2)} µs`);
