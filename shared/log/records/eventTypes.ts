import { z } from 'zod';

import { validationModes, type EventTypeFact } from '../../domain/eventTypes/eventType.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, auditChangesSchema } from '../encoding/schemas.js';
import { eventTypesTopic } from '../topics/names.js';

const settings = {
  description: z.string().nullable(),
  schema: z.string().nullable().describe('The JSON text of the schema, byte for byte as posted'),
  examples: z.string().describe('The JSON text of the list of examples, byte for byte as posted'),
  validation: z.enum(validationModes),
  deprecated: z.boolean(),
};

const schemas: ValueSchemas<EventTypeFact> = {
  'postrider.event-type.created': z
    .object({ ...settings, actor: actorSchema })
    .describe('An event type was created, or created again after its deletion.'),
  'postrider.event-type.updated': z
    .object({ ...settings, changes: auditChangesSchema, actor: actorSchema })
    .describe(
      'An event type was replaced. The record contains all fields after the change. `changes` names the changed ' +
        'fields for the audit log, with the size and the SHA-256 of `schema` and `examples`.',
    ),
  'postrider.event-type.deleted': z.object({ actor: actorSchema }).describe('An event type was deleted.'),
};

/**
 * The records of the topic `event-types`. The record key is the account's id and the name of the event type, such as
 * `acct_…/order.completed`. Values are sealed, because examples may contain the data of customers.
 */
export const eventTypeRecords = createFactCodec<EventTypeFact>(eventTypesTopic, schemas, { isSealed: true });
