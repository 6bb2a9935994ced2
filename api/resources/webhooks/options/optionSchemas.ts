import { z } from 'zod';

import {
  headerFault,
  maximumHeaderBytes,
  maximumHeaders,
  type HeaderUpdate,
} from '../../../../shared/domain/webhooks/customHeaders.js';
import {
  isSignaturePrefix,
  maximumPrefixLength,
  maximumTimeoutSeconds,
  prefixPattern,
  webhookFormats,
  type WebhookOptions,
} from '../../../../shared/domain/webhooks/options.js';
import { givenAuthSchema, shownAuthSchema } from './authSchemas.js';
import { metadataSchema, timeSchema } from '../../../http/schemas.js';
import { mustBe } from '../../../http/validation.js';

const shownFilterSchema = z.record(z.string(), z.unknown()).meta({
  id: 'WebhookFilter',
  description: 'Conditions on the fields of an event, such as `{"data": {"total": {"$gte": 100}}}`.',
});

const filterDescription =
  'The condition on the events that the webhook receives; null for every event of its types. The filter is matched ' +
  'against `id`, `type`, `created`, `tenantId` and `data` of an event. It has at most 4 KiB and 8 levels.';

/** The handler validates the filter by its text, because parsing can lose digits of numbers. */
const givenFilterSchema = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && !Array.isArray(value),
    mustBe('an object or null', 'filter_invalid'),
  )
  .optional()
  .meta({
    description: filterDescription,
    describedAs: { anyOf: [{ $ref: '#/components/schemas/WebhookFilter' }, { type: 'null' }] },
  });

const prefixSchema = z
  .string()
  .refine(
    isSignaturePrefix,
    mustBe(
      `null, or 1 to ${String(maximumPrefixLength)} lower-case letters, digits and inner hyphens, beginning with a letter and not with content or proxy`,
    ),
  )
  .nullable()
  .meta({
    description:
      'The beginning of the names of the three signature headers, for receivers that verified the webhooks of another ' +
      'system: `svix` gives `svix-id`, `svix-timestamp` and `svix-signature`. Null means `webhook`.',
    describedAs: {
      anyOf: [
        { type: 'string', pattern: prefixPattern.source, maxLength: maximumPrefixLength },
        { type: 'null' },
      ],
    },
  });

const formatSchema = z
  .enum(webhookFormats, mustBe(`null, or one of ${webhookFormats.join(', ')}`))
  .meta({ id: 'WebhookFormat' })
  .nullable()
  .meta({
    description:
      'The form of the body. `standard`, the default, is the event with its `data`. `cloudevents` is a CloudEvent in ' +
      'structured mode. `thin` is the event without `data`, which the receiver fetches.',
  });

const timeoutRule = mustBe(`null, or a whole number of seconds from 1 to ${String(maximumTimeoutSeconds)}`);

const timeoutSchema = z
  .int(timeoutRule)
  .min(1, timeoutRule)
  .max(maximumTimeoutSeconds, timeoutRule)
  .nullable()
  .meta({
    description:
      'The time limit of a whole attempt in seconds: connection, request and response. Null means the limit of ' +
      'the service, which is 15 seconds by default.',
  });

const webhookMetadataSchema = metadataSchema.nullable().meta({
  description:
    'Texts for your own use, as those of a tenant. A change replaces all of them. Deliveries do not contain them.',
});

/** No record of Zod, which would ignore the name `__proto__` instead of rejecting it. */
const givenHeadersSchema = z
  .unknown()
  .superRefine((given, context) => {
    if (given === null || given === undefined) {
      return;
    }
    const fault = isObject(given) ? headerFault(given) : { name: null, rule: 'an object or null' };
    if (fault !== null) {
      const path = fault.name === null ? [] : [fault.name];
      const { error: message, params } = mustBe(fault.rule);
      context.addIssue({ code: 'custom', message, params, path });
    }
  })
  .transform((given) => given as HeaderUpdate | undefined)
  .optional()
  .meta({
    description:
      'Headers of each request to the webhook, such as a key that the receiver requires. Responses contain their names, ' +
      'never their values. A change merges: it keeps the headers that it does not name, and null removes one. Null ' +
      `instead of the object removes all. At most ${String(maximumHeaders)} headers with ` +
      `${String(maximumHeaderBytes)} bytes of names and values. The names of headers that the service sets are ` +
      'reserved: `host`, `content-*`, `proxy-*`, those of the connection, and the signature headers.',
    describedAs: {
      anyOf: [
        {
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        { type: 'null' },
      ],
    },
  });

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shownHeadersSchema = z
  .array(z.object({ name: z.string(), updated: timeSchema }).meta({ id: 'WebhookHeader' }))
  .nullable()
  .meta({
    description:
      'The headers of each request to the webhook, in lower case, and when their values were last changed. The values ' +
      'are not shown.',
  });

/** The options that look the same in requests and in responses. */
const optionSchemas = {
  signatureHeaderPrefix: prefixSchema,
  format: formatSchema,
  timeoutSeconds: timeoutSchema,
  metadata: webhookMetadataSchema,
} satisfies Record<Exclude<keyof WebhookOptions, 'filter'>, z.ZodType>;

/** The options of a webhook in a request. */
export const givenOptions = {
  headers: givenHeadersSchema,
  auth: givenAuthSchema.optional(),
  filter: givenFilterSchema,
  ...z.object(optionSchemas).partial().shape,
};

/** The options of a webhook in a response. Each is null if it is not set. */
export const shownOptions = {
  ...optionSchemas,
  headers: shownHeadersSchema,
  auth: shownAuthSchema,
  filter: shownFilterSchema.nullable().meta({ description: filterDescription }),
};

/** The options in the examples of the OpenAPI document. */
export const optionsExample = {
  signatureHeaderPrefix: 'svix',
  format: 'standard',
  timeoutSeconds: 20,
  metadata: { team: 'orders' },
  filter: { data: { total: { $gte: 100 }, country: { $in: ['DE', 'AT'] } } },
} satisfies Record<keyof WebhookOptions, unknown>;

/** The credentials in the examples, as a request gives them and as a response shows them. */
export const credentialsExample = {
  given: { headers: { 'x-api-key': 'k-5f2b8c' }, auth: { type: 'bearer', token: 't-9a41e7' } },
  shown: {
    headers: [{ name: 'x-api-key', updated: '2026-11-21T06:46:40.628Z' }],
    auth: { type: 'bearer', updated: '2026-11-21T06:46:40.628Z' },
  },
};
