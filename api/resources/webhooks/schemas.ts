import { z } from 'zod';

import { everyType, isTypePattern } from '../../../shared/domain/events/eventPattern.js';
import { importedSecret } from '../../../shared/domain/webhooks/signature.js';
import {
  maximumEventTypes,
  maximumNameLength,
  maximumUrlLength,
} from '../../../shared/domain/webhooks/webhook.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  dataSchema,
  eventTypeSchema,
  subscriptionPattern,
  modeSchema,
  requestTimeSchema,
  textSchema,
  timeSchema,
  typePatternForm,
  typePatternRule,
  webhookTenantFilter,
  webhookTenantSchema,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';
import { webhookHealthSchema } from './healthSchemas.js';
import { credentialsExample, givenOptions, optionsExample, shownOptions } from './options/optionSchemas.js';

const defaultLimit = 100;
const maximumDescriptionLength = 1000;
const oneDaySeconds = 24 * 60 * 60;
/** The longest validity of an old signing secret: a week. */
const longestExpirySeconds = 7 * oneDaySeconds;

const statusSchema = z
  .enum(['active', 'disabled'], mustBe('active or disabled'))
  .meta({ id: 'WebhookStatus' });

export const testWebhookBody = z
  .strictObject({
    type: eventTypeSchema.default('webhook.test'),
    data: dataSchema.optional().meta({
      description: 'The content of the test event. The default explains that the event is a test.',
    }),
  })
  .meta({ id: 'TestWebhookRequest' });

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
  description:
    'The URL of the webhook: an absolute `https:` URL without credentials and fragment, or an `http:` URL if the settings of ' +
    'the service allow it. Responses contain the URL that requests are sent to: encoded, and without `.` and `..`.',
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/]',
  maxLength: maximumUrlLength,
});

const subscriptionsSchema = eventsSchema.meta({
  description:
    'The event types of the webhook. `order.*` means all types below `order`, and `*` alone means all types.',
  describedAs: {
    type: 'array',
    items: { ...typePatternForm, pattern: subscriptionPattern },
    minItems: 1,
    maxItems: maximumEventTypes,
  },
});

/** The secret of a webhook that moves here. The rule never repeats the text. */
const importedSecretSchema = z
  .string()
  .refine(
    (text) => importedSecret(text) !== null,
    mustBe('whsec_ and base64, or base64 alone, of 24 to 64 bytes, in the alphabet of + and / with padding'),
  )
  .transform(importedSecret)
  .nullish()
  .meta({
    description:
      'The signing secret that the receiver has already, such as that of another system: `whsec_` and base64, or base64 ' +
      'alone, of 24 to 64 bytes. Without it, or with null, the service creates one.',
    describedAs: { anyOf: [{ type: 'string', minLength: 32, maxLength: 94 }, { type: 'null' }] },
  });

const descriptionSchema = textSchema(maximumDescriptionLength).nullable();

const nameSchema = textSchema(maximumNameLength).nullable().meta({ description: 'A name for people.' });

const mutedUntilSchema = requestTimeSchema('null, or ')
  .transform((text) => new Date(text))
  .nullable()
  .meta({
    description:
      'At most 30 days ahead. Until this time, the dashboard lists the trouble of the webhook apart. Null, or a time in the past: the webhook is not muted.',
  });

export const createWebhookBody = z
  .strictObject({
    url: urlSchema,
    events: subscriptionsSchema,
    description: descriptionSchema.default(null),
    name: nameSchema.default(null),
    ...givenOptions,
    secret: importedSecretSchema,
    tenantId: webhookTenantSchema
      .nullable()
      .optional()
      .meta({
        description:
          'The tenant whose events the webhook receives. `*` means the events of every tenant, and events without a ' +
          'tenant. Null means the events without a tenant. The tenant of a webhook never changes.',
      }),
  })
  .meta({ id: 'CreateWebhookRequest' });

export const updateWebhookBody = z
  .strictObject({
    url: urlSchema.optional(),
    events: subscriptionsSchema.optional(),
    description: descriptionSchema.optional(),
    name: nameSchema.optional(),
    mutedUntil: mutedUntilSchema.optional(),
    ...givenOptions,
    status: statusSchema.optional(),
  })
  .meta({ id: 'UpdateWebhookRequest' });

const expiresInRule = mustBe(`a whole number of seconds from 0 to ${String(longestExpirySeconds)}`);

export const rotateSecretBody = z
  .strictObject({
    expiresIn: z
      .int(expiresInRule)
      .min(0, expiresInRule)
      .max(longestExpirySeconds, expiresInRule)
      .default(oneDaySeconds)
      .meta({ description: 'The number of seconds for which the old secret also signs deliveries.' }),
    secret: importedSecretSchema,
  })
  .meta({ id: 'RotateWebhookSecretRequest' });

export const listWebhooksQuery = z.strictObject({
  ...pagingParameters(defaultLimit),
  status: statusSchema.optional().meta({ description: 'Return only webhooks with this status.' }),
  include: z
    .enum(['health'], mustBe('health'))
    .optional()
    .meta({ description: 'With `health`, each webhook has the field `health`.' }),
  tenantId: webhookTenantFilter.optional().meta({
    description:
      'Return only webhooks with this `tenantId`. `null` selects the webhooks without a tenant, and `*` the webhooks ' +
      'of every tenant.',
  }),
});

export const webhookSchema = z
  .object({
    id: z.string(),
    tenantId: z
      .string()
      .nullable()
      .meta({ description: 'The tenant whose events the webhook receives, `*` for every tenant, or null.' }),
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
        id: 'SecretInfo',
        description:
          'The end and the age of the signing secret. `previousExpiresAt` is the time until which a previous secret also signs; null if none does.',
      }),
    disabledReason: z
      .enum(['manual', 'gone', 'failing'])
      .meta({
        id: 'DisabledReason',
        description:
          '`manual`: a client has disabled the webhook. `gone`: the webhook has answered 410. `failing`: its attempts ' +
          'have failed for days.',
      })
      .nullable(),
    mode: modeSchema,
    ...shownOptions,
    health: webhookHealthSchema
      .optional()
      .meta({ description: 'The health of the webhook, only in a list with `include=health`.' }),
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecretSchema = webhookSchema
  .omit({ health: true })
  .extend({ secret: z.string().meta({ description: '`whsec_` and the signing key in Base64.' }) })
  .meta({ id: 'WebhookWithSecret' });

export const webhookListSchema = listSchema(webhookSchema).meta({ id: 'WebhookList' });

export const deletedWebhookSchema = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhook' });

export const testDeliverySchema = z.object({ eventId: z.string() }).meta({ id: 'TestDelivery' });

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const webhookExample = {
  id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  tenantId: null,
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
  ...optionsExample,
  ...credentialsExample.shown,
};

export const webhookSecretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
