import { z } from 'zod';

import { timeSchema } from '../http/schemas.js';
import type { SchemaCollection } from './componentSchemas.js';
import type { Operation, Parameter } from './openApiTypes.js';

const payloadSchema = z
  .object({
    id: z.string().meta({ description: 'The id of the event.' }),
    type: z.string(),
    timestamp: timeSchema.meta({ description: 'When the event was created.' }),
    data: z.looseObject({}).meta({ description: 'The posted data, byte for byte.' }),
  })
  .meta({ id: 'DeliveredEvent', description: 'The body of a delivery.' });

const example = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  timestamp: '2026-11-21T06:46:41.388Z',
  data: { orderId: 'ord_1', amount: 4200, currency: 'eur' },
};

/** The request to a webhook, according to Standard Webhooks. */
export function webhookPayload(schemas: SchemaCollection): Operation {
  return {
    operationId: 'receiveEvent',
    tags: ['Webhooks'],
    summary: 'An event is delivered',
    description:
      'Sent at least once to the `url` of every active webhook with the type of the event. A repeat has the same `webhook-id`. ' +
      'Verify the signature first.',
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.output(payloadSchema), example } },
    },
    responses: {
      '2XX': { description: 'Received. Any other response is retried later.', headers: {} },
      '410': {
        description: 'The webhook is disabled, and its pending deliveries are canceled.',
        headers: {},
      },
      '4XX': { description: 'Retried later. `Retry-After` of a 429 is respected.', headers: {} },
      '5XX': { description: 'Retried later. `Retry-After` of a 503 is respected.', headers: {} },
    },
  };
}

const signatureHeaders = Object.entries({
  'webhook-id': 'The id of the event, equal for all attempts.',
  'webhook-timestamp':
    'The time of this attempt, in seconds since 1970. Reject times older than five minutes.',
  'webhook-signature':
    '`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one for each valid secret, separated by spaces.',
}).map(([name, description]): Parameter => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
});
