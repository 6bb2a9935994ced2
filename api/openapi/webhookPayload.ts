import { z } from 'zod';

import { timeSchema } from '../http/schemas.js';
import type { SchemaCollection } from './componentSchemas.js';
import type { Operation, Parameter } from './openApiTypes.js';

const payloadSchema = z
  .object({
    id: z.string().meta({ description: 'The id of the event.' }),
    type: z.string(),
    timestamp: timeSchema.meta({ description: 'When the event was created.' }),
    data: z.looseObject({}).meta({ description: 'As it was posted, to the byte.' }),
  })
  .meta({ id: 'DeliveredEvent', description: 'What a webhook receives.' });

const example = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  timestamp: '2026-11-21T06:46:41.388Z',
  data: { orderId: 'ord_1', amount: 4200, currency: 'eur' },
};

/** The request that every webhook receives, as Standard Webhooks says. */
export function webhookPayload(schemas: SchemaCollection): Operation {
  return {
    operationId: 'receiveEvent',
    tags: ['Webhooks'],
    summary: 'An event is delivered',
    description:
      'Sent to the `url` of every active webhook that asks for the type of the event. At least once: a repeat has the same ' +
      '`webhook-id`. Verify the signature before anything else.',
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.output(payloadSchema), example } },
    },
    responses: {
      '2XX': { description: 'Received. Anything else is tried again later.', headers: {} },
      '410': { description: 'The webhook is disabled, and what waits for it is canceled.', headers: {} },
      '4XX': { description: 'Tried again later; `Retry-After` of a 429 is kept to.', headers: {} },
      '5XX': { description: 'Tried again later; `Retry-After` of a 503 is kept to.', headers: {} },
    },
  };
}

const signatureHeaders = Object.entries({
  'webhook-id': 'The id of the event: the same for every attempt.',
  'webhook-timestamp':
    'When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.',
  'webhook-signature':
    '`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one for each valid secret, apart by a space.',
}).map(([name, description]): Parameter => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
});
