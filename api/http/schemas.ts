import { z } from 'zod';

import { isIdentifier } from '../../shared/domain/core/identifiers.js';
import { isEventType, maximumTypeLength, typePattern } from '../../shared/domain/events/event.js';
import { isTypePattern } from '../../shared/domain/events/eventPattern.js';
import {
  maximumMetadataEntries,
  maximumMetadataKeyLength,
  maximumMetadataValueLength,
} from '../../shared/domain/tenants/tenant.js';
import { everyTenant, isTenantId, tenantIdPattern } from '../../shared/domain/tenants/tenantId.js';
import { mustBe } from './validation.js';

/** Schemas that several resources share. */

export const modeSchema = z.enum(['live', 'test'], mustBe('live or test')).meta({ id: 'Mode' });

/** A time in ISO 8601, in UTC, with milliseconds. */
export const timeSchema = z.iso.datetime({ precision: 3 });

/** A time in a request, in ISO 8601 with any offset. Generated clients of Python write `+00:00` instead of `Z`. */
export function requestTimeSchema(alternative = '') {
  return z.iso.datetime({ offset: true, ...mustBe(`${alternative}a time such as 2026-11-20T11:02:03.456Z`) });
}

/** The pattern of a time with a fraction of a millisecond. */
const finerThanMs = /\.\d{3}\d*[1-9]/;

/**
 * A bound of times in milliseconds. A bound with a fraction of a millisecond is rounded up (`above`) or down (`below`).
 */
export function timeBoundSchema(counts: 'above' | 'below') {
  return requestTimeSchema().transform(
    (text) => new Date(Date.parse(text) + (counts === 'above' && finerThanMs.test(text) ? 1 : 0)),
  );
}

const eventTypeRule = mustBe(
  '1 to 128 characters: words of letters, digits and underscores, joined by dots',
  'event_type_invalid',
);

/** The JSON Schema of an event type. */
const eventTypeForm = { type: 'string', pattern: typePattern.source, maxLength: maximumTypeLength };

/** The JSON Schema of an event type or a pattern such as `order.*`. */
export const typePatternForm = {
  type: 'string',
  pattern: typePattern.source.replace(/\$$/, '(\\.\\*)?$'),
  maxLength: maximumTypeLength,
};

/** The pattern of one entry of a webhook's types: an event type, a pattern, or `*` for all types. */
export const subscriptionPattern = `^\\*$|${typePatternForm.pattern}`;

export const typePatternRule = mustBe(
  'an event type, or a prefix of types such as order.*',
  'event_type_invalid',
);

/** An event type as a filter, or a pattern. */
export const typePatternSchema = z.string().refine(isTypePattern, typePatternRule).meta({
  description: 'An event type, or a pattern such as `order.*` for all types below `order`.',
  describedAs: typePatternForm,
});

export const eventTypeSchema = z.string().refine(isEventType, eventTypeRule).meta({
  description: 'Words of letters, digits and underscores, joined by dots.',
  describedAs: eventTypeForm,
});

/** Marks a schema whose values oapi-codegen leaves as JSON text, because a map of Go loses digits of numbers. */
export const rawJsonInGo = { 'x-go-type': 'json.RawMessage' };

/** The `data` of an event. All operations share this component, so that a generator needs one type for it. */
export const dataSchema = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    mustBe('a JSON object'),
  )
  .meta({
    id: 'EventData',
    type: 'object',
    additionalProperties: true,
    description:
      'The content of an event, with at most 1,000 levels. The API returns it byte for byte as ' +
      'the client sent it.',
    ...rawJsonInGo,
  });

/** The id of a webhook as a filter. The filter accepts the id of a webhook that does not exist. */
export const webhookIdSchema = z
  .string(mustBe('given once'))
  .refine(
    (id) => isIdentifier('wh', id),
    mustBe('the id of a webhook, such as wh_01JD4RVPA00000000000000001'),
  )
  .meta({ pattern: '^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$' });

const tenantIdForm =
  '1 to 128 letters, digits and characters of _.:-, and none of the reserved ids "null", "*", "." and ".."';
const tenantIdRule = mustBe(tenantIdForm);

/** The JSON Schema of a tenant id, or of one of some other texts. */
const tenantIdSchemaOf = (...others: readonly string[]) => ({
  type: 'string',
  pattern: [tenantIdPattern.source, ...others].join('|'),
  maxLength: 128,
});

/** The id of a tenant in a body. */
export const tenantIdSchema = z
  .string()
  .refine(isTenantId, tenantIdRule)
  .meta({ description: `The id of a tenant: ${tenantIdForm}.`, describedAs: tenantIdSchemaOf() });

/** The `tenantId` of a posted event. */
export const eventTenantSchema = tenantIdSchema
  .nullable()
  .optional()
  .meta({
    description:
      'The tenant of the event. Webhooks of this tenant and webhooks of every tenant receive the event. The API does not ' +
      'check that the tenant exists.',
  });

/** The `tenantId` of a webhook in a body. */
export const webhookTenantSchema = z
  .string()
  .refine(
    (text) => text === everyTenant || isTenantId(text),
    mustBe(`the id of a tenant, or * for every tenant`),
  )
  .meta({ describedAs: tenantIdSchemaOf(String.raw`^\*$`) });

/** The text of a query that selects resources without a tenant. */
const noTenant = 'null';

const tenantOfText = (text: string) => (text === noTenant ? null : text);

/** A tenant as a filter. The filter accepts the id of a tenant that does not exist. */
export const tenantFilter = z
  .string(mustBe('given once'))
  .refine((text) => text === noTenant || isTenantId(text), mustBe('the id of a tenant, or null'))
  .transform(tenantOfText)
  .meta({ describedAs: tenantIdSchemaOf() });

/** A tenant as a filter for webhooks. */
export const webhookTenantFilter = z
  .string(mustBe('given once'))
  .refine(
    (text) => text === noTenant || text === everyTenant || isTenantId(text),
    mustBe('the id of a tenant, null, or *'),
  )
  .transform(tenantOfText)
  .meta({ describedAs: tenantIdSchemaOf(String.raw`^\*$`) });

/** An unpaired surrogate. JSON can contain an unpaired surrogate, but UTF-8 cannot. */
const brokenCharacter = /\p{Surrogate}/u;

/** The schema of a text that users read. */
export function textSchema(maximumLength: number) {
  return z
    .string()
    .max(maximumLength, mustBe(`at most ${String(maximumLength)} characters long`))
    .refine((text) => !brokenCharacter.test(text), mustBe('text of whole Unicode characters'));
}

const reservedKey = '__proto__';

/** The texts of a tenant or a webhook for the use of the client. A record of Zod would lose a reserved key silently. */
export const metadataSchema = z
  .unknown()
  .refine((given) => typeof given !== 'object' || given === null || !Object.hasOwn(given, reservedKey), {
    ...mustBe('left out, because the key is reserved'),
    path: [reservedKey],
  })
  .pipe(z.record(textSchema(maximumMetadataKeyLength), textSchema(maximumMetadataValueLength)))
  .refine(
    (metadata) => Object.keys(metadata).length <= maximumMetadataEntries,
    mustBe(`an object of at most ${String(maximumMetadataEntries)} texts`),
  )
  .meta({
    id: 'Metadata',
    description:
      `At most ${String(maximumMetadataEntries)} texts. A key has at most ${String(maximumMetadataKeyLength)} characters, ` +
      `a value at most ${String(maximumMetadataValueLength)}.`,
    describedAs: {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: maximumMetadataValueLength },
      maxProperties: maximumMetadataEntries,
    },
  });

/** The part of a list that a bounded scan has searched. */
export const searchedSchema = z
  .object({
    from: timeSchema.nullable().meta({ description: 'The newest time of the resources that were searched.' }),
    to: timeSchema.nullable().meta({ description: 'The oldest time of the resources that were searched.' }),
    complete: z.boolean().meta({ description: 'Whether the list has no further resource.' }),
    cursor: z.string().optional().meta({
      description:
        'The last resource that was searched. If `complete` is false, the next page begins after this resource.',
    }),
  })
  .meta({ id: 'Searched', description: 'The part of the list that the API has searched.' });
