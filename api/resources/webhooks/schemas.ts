import { z } from 'zod';

import { everyType, isTypePattern } from '../../../shared/domain/events/eventPattern.js';
import {
  maximumEventTypes,
  maximumNameLength,
  maximumUrlLength,
} from '../../../shared/domain/webhooks/webhook.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  eventTypeSchema,
  modeSchema,
  textSchema,
  timeSchema,
  typePatternForm,
  typePatternRule,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

const defaultLimit = 100;
const maximumDescriptionLength = 1000;
const oneDaySeconds = 24 * 60 * 60;
/** The longest validity of an old signing secret: a week. */
const longestExpirySeconds = 7 * oneDaySeconds;

const statusSchema = z.enum(['active', 'disabled'], mustBe('active or disabled'));

export const testWebhookBody = z.strictObject({ type: eventTypeSchema.default('webhook.test') });

const subscriptionSchema = z
  .string()
  .refine((type) => type === everyType || isTypePattern(type), typePatternRule);

const eventsSchema = z
  .array(subscriptionSchema)
  .min(1, mustBe('a list of at least one event type'))
  .max(maximumEventTypes, mustBe(`a list of at most ${String(maximumEventTypes)} event types`))
  .refine(
    (types) => types.length === 1 || !types.includes(everyType),
    mustBe('event types, or * alone for all of them'),
  );

const urlSchema = z.string().meta({
  description: 'The URL of the webhook: an absolute `https:` URL without credentials and fragment.',
  format: 'uri',
  pattern: '^https://[^/]',
  maxLength: maximumUrlLength,
});

const subscriptionsSchema = eventsSchema.meta({
  description:
    'The event types of the webhook. `order.*` means all types below `order`, and `*` alone means all types.',
  describedAs: {
    anyOf: [
      { type: 'array', items: { const: everyType }, minItems: 1, maxItems: 1 },
      { type: 'array', items: typePatternForm, minItems: 1, maxItems: maximumEventTypes },
    ],
  },
});

const descriptionSchema = textSchema(maximumDescriptionLength).nullable();

const nameSchema = textSchema(maximumNameLength).nullable().meta({ description: 'A name for people.' });

const mutedUntilSchema = z.iso
  .datetime(mustBe('null, or a time such as 2026-11-20T11:02:03.456Z'))
  .transform((text) => new Date(text))
  .nullable()
  .meta({
    description:
      'At most 30 days ahead. Until this time, the trouble of the webhook is listed apart, and operator events about it are not posted. Null, or a time in the past: the webhook is not muted.',
  });

export const createWebhookBody = z.strictObject({
  url: urlSchema,
  events: subscriptionsSchema,
  description: descriptionSchema.default(null),
  name: nameSchema.default(null),
});

export const updateWebhookBody = z.strictObject({
  url: urlSchema.optional(),
  events: subscriptionsSchema.optional(),
  description: descriptionSchema.optional(),
  name: nameSchema.optional(),
  mutedUntil: mutedUntilSchema.optional(),
  status: statusSchema.optional(),
});

const expiresInRule = mustBe(`a whole number of seconds from 0 to ${String(longestExpirySeconds)}`);

export const rotateSecretBody = z.strictObject({
  expiresIn: z
    .int(expiresInRule)
    .min(0, expiresInRule)
    .max(longestExpirySeconds, expiresInRule)
    .default(oneDaySeconds)
    .meta({ description: 'The number of seconds for which the old secret also signs deliveries.' }),
});

export const listWebhooksQuery = z.strictObject({
  ...pagingParameters(defaultLimit),
  status: statusSchema.optional().meta({ description: 'Return only webhooks with this status.' }),
});

export const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    status: statusSchema,
    created: timeSchema,
    description: z.string().nullable(),
    name: z.string().nullable(),
    mutedUntil: timeSchema.nullable(),
    secretInfo: z
      .object({
        last4: z.string().nullable(),
        created: timeSchema,
        previousExpiresAt: timeSchema.nullable(),
      })
      .meta({
        description:
          'The end and the age of the signing secret. `previousExpiresAt` is the time until which a previous secret also signs; null if none does.',
      }),
    disabledReason: z.enum(['manual', 'gone', 'failing']).nullable(),
    mode: modeSchema,
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecretSchema = webhookSchema
  .extend({ secret: z.string().meta({ description: '`whsec_` and the signing key in Base64.' }) })
  .meta({ id: 'WebhookWithSecret' });

export const webhookListSchema = listSchema(webhookSchema).meta({ id: 'WebhookList' });

export const deletedWebhookSchema = z.object({ id: z.string(), deleted: z.literal(true) });

export const testDeliverySchema = z.object({ eventId: z.string() });

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const webhookExample = {
  id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  url: 'https://example.com/webhooks',
  events: ['order.completed'],
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  description: 'Shop',
  name: 'Orders',
  mutedUntil: null,
  secretInfo: { last4: 'LaSw', created: '2026-11-21T06:46:40.628Z', previousExpiresAt: null },
  disabledReason: null,
  mode: 'live',
};

export const webhookSecretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
