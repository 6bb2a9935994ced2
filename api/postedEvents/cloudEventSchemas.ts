import { z } from 'zod';

import { dataSchema, eventTypeSchema, tenantIdSchema } from '../http/schemas.js';

/** The schemas of CloudEvents, for the OpenAPI document. The API validates CloudEvents attribute by attribute. */

const text = { type: 'string', pattern: String.raw`^[^\x00-\x1f\x7f-\x9f]+$` };
const uri = String.raw`[A-Za-z0-9._~:/?@!$&'()*+,;=-]`;

const described = (description: string, describedAs: object) =>
  z.string().meta({ description, describedAs: { ...describedAs } });

const cloudEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: described(
      'The id of the event at its source. An event with the same `id` and `source` is recorded once.',
      text,
    ),
    source: described('The source of the event, a URI reference.', { type: 'string', pattern: `^${uri}+$` }),
    type: eventTypeSchema,
    time: described('The time of the event. The service passes it on unchanged.', {
      type: 'string',
      pattern: String.raw`^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-2]):[0-5][0-9])$`,
    }).optional(),
    subject: described('The subject of the event at its source.', text).optional(),
    dataschema: described('The schema of `data`, a URI.', {
      type: 'string',
      pattern: `^[A-Za-z][A-Za-z0-9+.-]*:${uri}*$`,
    }).optional(),
    datacontenttype: z
      .enum(['application/json'])
      .optional()
      .meta({
        description: 'A JSON media type.',
        describedAs: { type: 'string', enum: ['application/json'] },
      }),
    tenantid: tenantIdSchema
      .optional()
      .meta({ description: 'The tenant of the event, as `tenantId` of other events.' }),
    data: dataSchema,
  })
  .catchall(z.unknown())
  .meta({
    id: 'CloudEvent',
    description:
      'A CloudEvent in the JSON format. Other fields are extensions: strings, booleans or integers of 32 bits.',
    propertyNames: { pattern: '^[a-z0-9]+$' },
  });

const exampleEvent = {
  specversion: '1.0',
  id: '5f1c9d1e',
  source: '/shops/berlin',
  type: 'order.completed',
  time: '2026-11-21T06:46:41.388Z',
  subject: 'ord_1',
  data: { orderId: 'ord_1', amount: 4200, currency: 'eur' },
};

/**
 * The media type of one CloudEvent, with its schema. The description of the operations names the media type of batches:
 * a list next to objects is a body that the Python generator cannot write.
 */
export const cloudEventBodies = {
  'application/cloudevents+json': { schema: cloudEventSchema, example: exampleEvent },
};
