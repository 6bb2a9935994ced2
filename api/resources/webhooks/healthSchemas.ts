import { z } from 'zod';

import { deliveryErrorCodeSchema } from '../../http/deliveryErrors.js';
import { timeSchema, webhookTenantFilter } from '../../http/schemas.js';

export const healthStates = ['healthy', 'undelivered', 'failing', 'disabled'] as const;

export type HealthState = (typeof healthStates)[number];

const failureSchema = z
  .object({
    code: deliveryErrorCodeSchema,
    statusCode: z.int().nullable(),
    count: z.int(),
    firstAt: timeSchema.nullable(),
    lastAt: timeSchema.nullable(),
  })
  .meta({
    id: 'DeliveryFailures',
    description:
      'The deliveries of a webhook whose last attempt has the same error. `firstAt` and `lastAt` are the times of the ' +
      'first and of the last of these attempts. They are null only if an earlier version of the service has stored ' +
      'one of the deliveries without the time.',
  });

export const deliveryHealthQuery = z.strictObject({
  tenantId: webhookTenantFilter.optional().meta({
    description:
      'Count only the webhooks with this `tenantId`. `null` selects the webhooks without a tenant, and `*` the webhooks ' +
      'of every tenant.',
  }),
});

const countsSchema = { pending: z.int(), retrying: z.int(), failed: z.int(), canceled: z.int() };

const asOfSchema = timeSchema.meta({
  description: 'The time up to which the counts contain all events and the outcomes of their deliveries.',
});

const ofVersion =
  'Attempts from before the last change of the `url`, of `headers` or of `auth`, and from before the last enabling do ' +
  'not count, also for the state and `firstFailureAt`.';

export const webhookHealthSchema = z
  .object({
    webhookId: z.string(),
    state: z.enum(healthStates).meta({
      id: 'WebhookHealthState',
      description:
        '`disabled`: the webhook is disabled. `failing`: the last attempt has failed, or a delivery is retrying. ' +
        '`undelivered`: the last attempt has succeeded, but a delivery is failed. `healthy`: none of these.',
    }),
    ...countsSchema,
    failures: z.array(failureSchema).meta({
      description:
        'The 20 most frequent errors of the deliveries that are retrying or failed, most frequent first.',
    }),
    firstFailureAt: timeSchema.nullable().meta({
      description: 'The first failed attempt after the last success; null if the last attempt succeeded.',
    }),
    lastFailureAt: timeSchema.nullable().meta({ description: ofVersion }),
    lastSuccessAt: timeSchema.nullable().meta({ description: ofVersion }),
    nextAttemptAt: timeSchema.nullable(),
    oldestOpenEventAt: timeSchema
      .nullable()
      .meta({ description: 'When the oldest event was created whose delivery is pending or retrying.' }),
    asOf: asOfSchema,
  })
  .meta({
    id: 'WebhookHealth',
    description:
      'The state of all deliveries of a webhook. `pending`, `retrying`, `failed` and `canceled` count the deliveries ' +
      'that have this status now.',
  });

export const deliveryHealthSchema = z
  .object({
    webhooks: z
      .object({
        healthy: z.int(),
        undelivered: z.int(),
        failing: z.int(),
        disabled: z.int(),
      })
      .meta({ id: 'WebhookCounts' }),
    ...countsSchema,
    oldestOpenEventAt: timeSchema.nullable(),
    asOf: asOfSchema,
  })
  .meta({
    id: 'DeliveryHealth',
    description:
      'The webhooks of the account and mode by state, and the numbers of their deliveries by status.',
  });

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const webhookHealthExample = {
  webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  state: 'failing',
  pending: 3,
  retrying: 2,
  failed: 41,
  canceled: 0,
  failures: [
    {
      code: 'http_status',
      statusCode: 503,
      count: 40,
      firstAt: '2026-11-21T05:10:02.120Z',
      lastAt: '2026-11-21T06:44:31.007Z',
    },
    {
      code: 'timeout',
      statusCode: null,
      count: 3,
      firstAt: '2026-11-21T05:12:40.911Z',
      lastAt: '2026-11-21T05:31:08.250Z',
    },
  ],
  firstFailureAt: '2026-11-21T05:10:02.120Z',
  lastFailureAt: '2026-11-21T06:44:31.007Z',
  lastSuccessAt: '2026-11-21T05:09:58.640Z',
  nextAttemptAt: '2026-11-21T06:49:31.262Z',
  oldestOpenEventAt: '2026-11-21T06:39:20.104Z',
  asOf: '2026-11-21T06:46:40.628Z',
};

export const deliveryHealthExample = {
  webhooks: { healthy: 12, undelivered: 1, failing: 1, disabled: 0 },
  pending: 3,
  retrying: 2,
  failed: 44,
  canceled: 7,
  oldestOpenEventAt: '2026-11-21T06:39:20.104Z',
  asOf: '2026-11-21T06:46:40.628Z',
};
