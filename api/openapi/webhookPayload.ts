import { z } from 'zod';

import { dataSchema, timeSchema } from '../http/schemas.js';
import type { Components } from './components.js';
import type { Operation, Parameter } from './openApiTypes.js';

const thinFields = z.object({
  id: z.string().meta({ description: 'The id of the event.' }),
  type: z.string(),
  timestamp: timeSchema.meta({ description: 'The time at which the event was created.' }),
  tenantId: z.string().optional().meta({ description: 'The tenant of the event; missing without a tenant.' }),
});

const thinSchema = thinFields.meta({
  id: 'DeliveredThinEvent',
  description: 'The body of a request to a webhook with the format `thin`.',
});

const payloadSchema = thinFields
  .extend({ data: dataSchema })
  .meta({ id: 'DeliveredEvent', description: 'The body of a request that delivers an event.' });

const cloudEventSchema = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: z.string().meta({ description: 'The posted id of a CloudEvent, and otherwise the id of the event.' }),
    source: z.string(),
    type: z.string(),
    time: z.string(),
    datacontenttype: z.string(),
    tenantid: z
      .string()
      .optional()
      .meta({ description: 'The tenant of the event; missing without a tenant.' }),
    data: dataSchema,
  })
  .meta({
    id: 'DeliveredCloudEvent',
    description: 'The body of a request to a webhook with the format `cloudevents`. Extensions are texts.',
  });

const example = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  timestamp: '2026-11-21T06:46:41.388Z',
  data: { orderId: 'ord_1', amount: 4200, currency: 'eur' },
};

const cloudEventExample = {
  specversion: '1.0',
  id: example.id,
  source: '/accounts/acct_01M7YDPQ0T6R2V8J4B1N5XW3KD',
  type: example.type,
  time: example.timestamp,
  datacontenttype: 'application/json',
  data: example.data,
};

/** The HTTP request to a webhook, according to Standard Webhooks. */
export function webhookPayload(components: Components): Operation {
  return {
    operationId: 'receiveEvent',
    tags: ['Webhooks'],
    summary: 'An event is delivered',
    description:
      'The service sends the event at least once to the `url` of every active webhook that ' +
      'subscribes to the type of the event. A repeat has the same `webhook-id`. ' +
      'Verify the signature of a request before you process the event. A webhook with the `format` `thin` receives ' +
      'the event without `data`.',
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: components.output(z.union([payloadSchema, thinSchema])), example },
        'application/cloudevents+json': {
          schema: components.output(cloudEventSchema),
          example: cloudEventExample,
        },
      },
    },
    responses: {
      '2XX': {
        description:
          'The receiver has accepted the event. The service retries the delivery after any other ' +
          'response.',
        headers: {},
      },
      '410': {
        description:
          'The receiver is permanently gone. The service disables the webhook and cancels its ' +
          'pending deliveries.',
        headers: {},
      },
      '4XX': {
        description: 'The service retries the delivery later, and respects `Retry-After` of a 429.',
        headers: {},
      },
      '5XX': {
        description: 'The service retries the delivery later, and respects `Retry-After` of a 503.',
        headers: {},
      },
    },
  };
}

const signatureHeaders = Object.entries({
  'webhook-id': 'The id of the event, which is equal for all attempts of a delivery.',
  'webhook-timestamp':
    'The time of the attempt, in seconds since 1970. Reject requests that are older than five minutes.',
  'webhook-signature':
    '`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The ' +
    'header contains one signature for ' +
    'each valid secret, separated by spaces.',
}).map(([name, description]): Parameter => {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
});
