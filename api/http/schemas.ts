import { z } from 'zod';

import { isEventType, maximumTypeLength, typePattern } from '../../shared/domain/events/event.js';
import { isIdentifier } from '../../shared/domain/core/identifiers.js';
import { must } from './validation.js';

/** The schemas that several resources have in common. */

export const modeSchema = z.enum(['live', 'test']);

/** ISO 8601, UTC, with milliseconds. */
export const timeSchema = z.iso.datetime({ precision: 3 });

/** Digits behind the milliseconds that are not all zero. */
const finerThanMs = /\.\d{3}\d*[1-9]/;

/** A bound on times that are whole milliseconds: one between two of them counts as the one above, or the one below. */
export function boundSchema(counts: 'above' | 'below') {
  return z.iso
    .datetime(must('a time such as 2026-11-20T11:02:03.456Z'))
    .transform((text) => new Date(Date.parse(text) + (counts === 'above' && finerThanMs.test(text) ? 1 : 0)));
}

export const eventTypeRule = must(
  '1 to 128 characters: words of letters, digits and underscores, joined by dots',
  'event_type_invalid',
);

/** An event type, as the API's description says it. */
export const eventTypeForm = { type: 'string', pattern: typePattern.source, maxLength: maximumTypeLength };

export const eventTypeSchema = z.string().refine(isEventType, eventTypeRule).meta({
  description: 'Words of letters, digits and underscores, joined by dots.',
  describedAs: eventTypeForm,
});

/** A webhook's id as a filter: whether there is, or was, such a webhook shows in what it leaves. */
export const webhookIdSchema = z
  .string(must('given once'))
  .refine((id) => isIdentifier('wh', id), must("a webhook's id, such as wh_01JD4RVPA00000000000000001"))
  .meta({ pattern: '^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$' });

/** Half of a pair of UTF-16 units is no character: JSON can write it, UTF-8 cannot. */
const brokenCharacter = /\p{Surrogate}/u;

/** Text that people read. */
export function textSchema(maximumLength: number) {
  return z
    .string()
    .max(maximumLength, must(`at most ${String(maximumLength)} characters long`))
    .refine((text) => !brokenCharacter.test(text), must('text of whole Unicode characters'));
}
