import { z } from 'zod';

import { isIdentifier } from '../../shared/domain/core/identifiers.js';
import { isEventType, maximumTypeLength, typePattern } from '../../shared/domain/events/event.js';
import { isTypePattern } from '../../shared/domain/events/eventPattern.js';
import { mustBe } from './validation.js';

/** Schemas that several resources share. */

export const modeSchema = z.enum(['live', 'test']);

/** A time in ISO 8601, in UTC, with milliseconds. */
export const timeSchema = z.iso.datetime({ precision: 3 });

/** The pattern of a time with a fraction of a millisecond. */
const finerThanMs = /\.\d{3}\d*[1-9]/;

/**
 * A bound of times in milliseconds. A bound with a fraction of a millisecond is rounded up (`above`) or down (`below`).
 */
export function timeBoundSchema(counts: 'above' | 'below') {
  return z.iso
    .datetime(mustBe('a time such as 2026-11-20T11:02:03.456Z'))
    .transform((text) => new Date(Date.parse(text) + (counts === 'above' && finerThanMs.test(text) ? 1 : 0)));
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

/** The id of a webhook as a filter. The filter accepts the id of a webhook that does not exist. */
export const webhookIdSchema = z
  .string(mustBe('given once'))
  .refine(
    (id) => isIdentifier('wh', id),
    mustBe('the id of a webhook, such as wh_01JD4RVPA00000000000000001'),
  )
  .meta({ pattern: '^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$' });

/** An unpaired surrogate. JSON can contain an unpaired surrogate, but UTF-8 cannot. */
const brokenCharacter = /\p{Surrogate}/u;

/** The schema of a text that users read. */
export function textSchema(maximumLength: number) {
  return z
    .string()
    .max(maximumLength, mustBe(`at most ${String(maximumLength)} characters long`))
    .refine((text) => !brokenCharacter.test(text), mustBe('text of whole Unicode characters'));
}
