import { z } from 'zod';

import {
  maximumDescriptionLength,
  maximumExamples,
  maximumExamplesBytes,
  maximumSchemaBytes,
  validationModes,
} from '../../../shared/domain/eventTypes/eventType.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  dataSchema,
  eventTypeSchema as nameSchema,
  rawJsonInGo,
  textSchema,
  timeSchema,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

const maximumUsageDays = 30;
const defaultUsageDays = 7;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const validationSchema = z.enum(validationModes, mustBe('off, warn or reject')).meta({
  id: 'ValidationMode',
  description:
    'What happens to a posted event that does not match the schema. `off`: events are not checked. `warn`: the API ' +
    'accepts the event and records the result. `reject`: the API answers 400 `event_data_invalid`.',
});

const schemaRule = mustBe('a JSON Schema: an object, a boolean or null', 'schema_invalid');

const schemaSchema = z
  .unknown()
  .refine((value) => value === null || typeof value === 'boolean' || isObject(value), schemaRule)
  .meta({
    id: 'JsonSchema',
    description:
      `The JSON Schema (2020-12) of \`data\`, at most ${String(maximumSchemaBytes / 1024)} KiB; null without a schema. ` +
      'The API returns it byte for byte as the client sent it.',
    ...rawJsonInGo,
  });

const examplesSchema = z
  .array(dataSchema)
  .max(maximumExamples, mustBe(`a list of at most ${String(maximumExamples)} examples`))
  .meta({
    description:
      `Examples of \`data\`, at most ${String(maximumExamplesBytes / 1024)} KiB in all. Each example must match the schema. ` +
      'The API returns them byte for byte.',
  });

const descriptionSchema = textSchema(maximumDescriptionLength).nullable();

/** A field of the response, so that a client can send an event type back. */
const ignoredTime = z.string().optional().meta({ description: 'The API ignores this field.' });

/** The body of a PUT. An absent field gets its default, because a PUT replaces all fields. */
export const putEventTypeBody = z
  .strictObject({
    name: nameSchema.optional().meta({ description: 'The name in the path. It can be left out.' }),
    description: descriptionSchema.default(null),
    schema: schemaSchema.default(null),
    examples: examplesSchema.default([]),
    validation: validationSchema.default('off'),
    deprecated: z.boolean().default(false),
    created: ignoredTime,
    updated: ignoredTime,
  })
  .meta({ id: 'PutEventTypeRequest' });

const onceRule = mustBe('true or false');

export const putEventTypeQuery = z.strictObject({
  dryRun: z
    .enum(['true', 'false'], onceRule)
    .default('false')
    .meta({
      description: 'With `true`, the request checks stored events and changes nothing.',
      describedAs: { type: 'boolean', default: false },
    }),
});

export const listEventTypesQuery = z.strictObject({
  ...pagingParameters(),
  fields: z
    .enum(['summary'], mustBe('summary'))
    .optional()
    .meta({ description: 'With `summary`, the event types have neither `schema` nor `examples`.' }),
  include: z
    .enum(['usage'], mustBe('usage'))
    .optional()
    .meta({ description: 'With `usage`, each event type has its events of the last seven days.' }),
});

const daysRule = mustBe(`a whole number from 1 to ${String(maximumUsageDays)}`);

export const usageQuery = z.strictObject({
  days: z
    .string(daysRule)
    .regex(/^[1-9]\d?$/, daysRule)
    .transform(Number)
    .pipe(z.int().max(maximumUsageDays, daysRule))
    .default(defaultUsageDays)
    .meta({
      description: 'The number of days, of which today is the last.',
      describedAs: { type: 'integer', minimum: 1, maximum: maximumUsageDays, default: defaultUsageDays },
    }),
});

const summaryFields = {
  name: z.string(),
  description: z.string().nullable(),
  validation: validationSchema,
  deprecated: z.boolean(),
  created: timeSchema,
  updated: timeSchema,
};

export const eventTypeSchema = z
  .object({ ...summaryFields, schema: schemaSchema, examples: examplesSchema })
  .meta({ id: 'EventType' });

const countSchema = z.int().nonnegative();

const eventCountSchema = z
  .object({
    events: countSchema,
    isAtLeast: z.boolean().meta({ description: 'Whether there may be more events than `events`.' }),
  })
  .meta({ id: 'EventCount' });

export const eventTypeListSchema = listSchema(
  z
    .object({
      ...summaryFields,
      schema: schemaSchema.optional(),
      examples: examplesSchema.optional(),
      usage: eventCountSchema
        .optional()
        .meta({ description: 'The events of the last seven days, only with `include=usage`.' }),
    })
    .meta({ id: 'ListedEventType' }),
).meta({ id: 'EventTypeList' });

export const dryRunSchema = z.object({
  checked: countSchema.meta({ description: 'The number of events that were checked.' }),
  invalid: countSchema.meta({ description: 'The number of events that `reject` would reject.' }),
  samples: z
    .array(
      z
        .object({ eventId: z.string(), param: z.string(), message: z.string() })
        .meta({ id: 'InvalidEventSample' }),
    )
    .meta({ description: 'The newest invalid events, at most 20.' }),
  complete: z.boolean().meta({
    description: 'False if the time limit of 20 s ended the check before all of these events were checked.',
  }),
});

/** One object instead of a union, because generators make no usable code from a union. */
export const putResultSchema = eventTypeSchema.partial().extend(dryRunSchema.partial().shape).meta({
  id: 'EventTypeOrDryRun',
  description:
    'The replaced event type; with `dryRun=true` the fields `checked`, `invalid`, `samples` and `complete`.',
});

export const usageSchema = z
  .object({
    data: z.array(
      z
        .object({
          day: z.iso.date().meta({ description: 'The day in UTC.' }),
          events: countSchema,
          isAtLeast: z.boolean().meta({ description: 'Whether the day may have more events than `events`.' }),
        })
        .meta({ id: 'EventTypeUsageDay' }),
    ),
    lastEventAt: timeSchema.nullable().meta({ description: 'When the last event of the type was created.' }),
  })
  .meta({ id: 'EventTypeUsage' });

export const deletedEventTypeSchema = z
  .object({ name: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedEventType' });

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const putEventTypeExample = {
  description: 'A customer has paid an order.',
  schema: {
    type: 'object',
    required: ['orderId', 'amount'],
    properties: { orderId: { type: 'string' }, amount: { type: 'integer', minimum: 0 } },
  },
  examples: [{ orderId: 'ord_1', amount: 4200 }],
  validation: 'warn',
  deprecated: false,
};

export const eventTypeExample = {
  name: 'order.completed',
  ...putEventTypeExample,
  created: '2026-11-21T06:46:40.628Z',
  updated: '2026-11-21T06:46:40.628Z',
};

export const dryRunExample = {
  checked: 10_000,
  invalid: 1,
  samples: [
    {
      eventId: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
      param: 'data.amount',
      message: 'data.amount must be an integer.',
    },
  ],
  complete: true,
};

export const usageExample = {
  data: [{ day: '2026-11-21', events: 4200, isAtLeast: false }],
  lastEventAt: '2026-11-21T06:46:41.388Z',
};
