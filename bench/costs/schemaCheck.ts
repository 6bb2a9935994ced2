import process from 'node:process';

import { createCheckHistory } from '../../api/eventTypes/checkHistory.js';
import { createEventChecks } from '../../api/eventTypes/eventCheck.js';
import type { CheckedType } from '../../api/eventTypes/typeCatalog.js';
import { compileSchema } from '../../shared/jsonSchema/compiler/compileSchema.js';
import { decodeProgram } from '../../shared/jsonSchema/program/encoding.js';
import { createMetrics } from '../../shared/runtime/metrics.js';

/** A schema as the documentation of an order would have it: 12 properties, and one pattern. */
const schema = {
  type: 'object',
  required: ['orderId', 'customer', 'amount', 'currency', 'items'],
  additionalProperties: false,
  properties: {
    orderId: { type: 'string', pattern: '^ord_[0-9a-z]{10}$' },
    customer: {
      type: 'object',
      required: ['id', 'email'],
      properties: { id: { type: 'string' }, email: { type: 'string', maxLength: 200 } },
    },
    amount: { type: 'integer', minimum: 0 },
    currency: { enum: ['eur', 'usd', 'gbp'] },
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
    },
    note: { type: ['string', 'null'], maxLength: 1000 },
    isGift: { type: 'boolean' },
    placedAt: { type: 'string' },
  },
};

const typicalData = {
  orderId: 'ord_0123456789',
  customer: { id: 'cus_0123456789', email: 'someone@example.com' },
  amount: 4200,
  currency: 'eur',
  items: [
    { sku: 'sku_0123456789', quantity: 1 },
    { sku: 'sku_9876543210', quantity: 2 },
  ],
  note: 'postrider '.repeat(23),
  isGift: false,
  placedAt: '2026-11-21T06:46:40.628Z',
};

const type: CheckedType = {
  id: 'acct_1/live/order.completed',
  accountId: 'acct_1',
  name: 'order.completed',
  validation: 'reject',
  revision: '1',
};

/** @returns the CPU time that the check of a typical event adds to its request, in milliseconds */
export async function costOfSchemaCheck(events: number): Promise<number> {
  const compilation = compileSchema(Buffer.from(JSON.stringify(schema)));
  if (compilation.outcome === 'rejected') {
    throw new Error(compilation.message);
  }
  const loaded = {
    key: 'typical',
    program: decodeProgram(compilation.program),
    history: createCheckHistory(),
  };
  const checks = createEventChecks({
    catalog: { find: () => type },
    programs: { get: () => loaded },
    workers: { check: () => Promise.reject(new Error('The check of a typical event needs no worker.')) },
    metrics: createMetrics(),
  });
  const bytes = Buffer.from(JSON.stringify(typicalData));
  const checkAll = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const check = await checks.find({ accountId: 'acct_1', mode: 'live' }, type.name);
      const result = await check?.check(bytes, typicalData);
      if (result?.status !== 'valid') {
        throw new Error('The typical event does not match its schema.');
      }
    }
  };
  await checkAll(events);
  const before = process.cpuUsage();
  await checkAll(events);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / events;
}
