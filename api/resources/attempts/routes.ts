import { z } from 'zod';

import { listSchema, pagingParameters } from '../../http/paging.js';
import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { deliveryErrorCodeSchema, deliveryErrorSchema } from '../../http/deliveryErrors.js';
import { createdBounds, statusCodeFilter, typesFilter } from '../../http/filters.js';
import { searchedSchema, timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface AttemptHandlers {
  readonly list: AuthenticatedHandler<typeof noBody, typeof listAttemptsQuery>;
  readonly ofEvent: AuthenticatedHandler<typeof noBody, typeof listEventAttemptsQuery>;
  readonly ofWebhook: AuthenticatedHandler<typeof noBody, typeof listWebhookAttemptsQuery>;
}

const responseBodyRule =
  '`responseBody` is the first 4 KiB of the response as UTF-8. Invalid bytes become U+FFFD.';

export function attemptRoutes(attempts: AttemptHandlers): readonly Route[] {
  return [listAttempts(attempts), listEventAttempts(attempts), listWebhookAttempts(attempts)];
}

function listAttempts(attempts: AttemptHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/attempts',
    operationId: 'listAttempts',
    tag: 'Events',
    summary: 'List all attempts',
    description: `The requests to all webhooks of the account and mode, newest first. An attempt must match all filters. A list by status code, error or type ends after about a second. If \`searched\` has a cursor, the next page begins at the cursor. ${responseBodyRule}`,
    scope: 'events:read',
    tenants: 'own',
    names: null,
    body: noBody,
    query: listAttemptsQuery,
    response: allAttemptsSchema,
    errors: ['cursor_invalid', 'event_type_invalid'],
    examples: { response: { data: [attemptExample], hasMore: false } },
    handle: attempts.list,
  });
}

function listEventAttempts(attempts: AttemptHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/events/:id/attempts',
    operationId: 'listEventAttempts',
    tag: 'Events',
    summary: 'List the attempts to deliver an event',
    description: `Returns the attempts to deliver the event to its webhooks, newest first. ${responseBodyRule}`,
    scope: 'events:read',
    tenants: 'own',
    names: 'event',
    body: noBody,
    query: listEventAttemptsQuery,
    response: attemptListSchema,
    errors: ['cursor_invalid', 'resource_missing'],
    examples: { response: { data: [attemptExample], hasMore: false } },
    handle: attempts.ofEvent,
  });
}

function listWebhookAttempts(attempts: AttemptHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/attempts',
    operationId: 'listWebhookAttempts',
    tag: 'Webhooks',
    summary: 'List the attempts to deliver to a webhook',
    description: `Returns the attempts to deliver events to the webhook, newest first. ${responseBodyRule}`,
    scope: 'webhooks:read',
    tenants: 'own',
    names: 'webhook',
    body: noBody,
    query: listWebhookAttemptsQuery,
    response: attemptListSchema,
    errors: ['cursor_invalid', 'resource_missing'],
    examples: { response: { data: [attemptExample], hasMore: false } },
    handle: attempts.ofWebhook,
  });
}

/** The example response in the OpenAPI document. A test checks the example against its schema. */
const attemptExample = {
  id: 'att_01M7YDPVHB9SWF2E0Q9ZC8T3XK',
  eventId: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  number: 1,
  trigger: 'first',
  status: 'failed',
  statusCode: 503,
  error: { code: 'http_status', message: 'The receiver answered with 503' },
  durationMs: 38,
  url: 'https://example.com/webhooks',
  requestHeaders: {
    host: 'example.com',
    'content-length': '182',
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'Postrider/1.0',
    'webhook-id': 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
    'webhook-timestamp': '1795243601',
    'webhook-signature': 'v1,***',
  },
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: 'Service Unavailable',
  responseTruncated: false,
  requests: 1,
  attemptedAt: '2026-11-21T06:46:41.402Z',
};

const statusSchema = z
  .enum(['succeeded', 'failed'], mustBe('succeeded or failed'))
  .meta({ id: 'AttemptStatus' });

export const listEventAttemptsQuery = z.strictObject({
  ...pagingParameters(),
  webhookId: webhookIdSchema
    .optional()
    .meta({ description: 'Return only attempts to deliver to this webhook.' }),
});

export const listWebhookAttemptsQuery = z.strictObject({
  ...pagingParameters(),
  status: statusSchema.optional().meta({ description: 'Return only attempts with this outcome.' }),
});

export const listAttemptsQuery = z.strictObject({
  ...pagingParameters(),
  webhookId: webhookIdSchema
    .optional()
    .meta({ description: 'Return only attempts to deliver to this webhook.' }),
  status: statusSchema.optional().meta({ description: 'Return only attempts with this outcome.' }),
  statusCode: statusCodeFilter
    .optional()
    .meta({ description: 'Return only attempts whose response has this status code.' }),
  errorCode: deliveryErrorCodeSchema
    .optional()
    .meta({ description: 'Return only attempts that failed with this error.' }),
  type: typesFilter,
  ...createdBounds('attempts that began'),
});

const headersSchema = z
  .record(z.string(), z.string())
  .meta({
    id: 'AttemptHeaders',
    description: 'Headers by lower-case name. Credentials and signatures are masked.',
  })
  .nullable();

const attemptSchema = z
  .object({
    id: z.string(),
    eventId: z.string(),
    webhookId: z.string(),
    number: z.int().meta({
      description:
        'The place of the attempt among all attempts to deliver the event to the webhook, from 1, in the order in ' +
        'which they were recorded.',
    }),
    trigger: z.enum(['first', 'retry', 'resend', 'replay', 'test']).meta({ id: 'AttemptTrigger' }),
    status: statusSchema,
    statusCode: z.int().nullable(),
    error: deliveryErrorSchema.meta({ id: 'AttemptError' }).nullable(),
    durationMs: z.number(),
    url: z.string().nullable(),
    requestHeaders: headersSchema,
    responseHeaders: headersSchema,
    responseBody: z.string().meta({ description: 'The first 4 KiB of the body, decoded as UTF-8.' }),
    responseTruncated: z.boolean().meta({
      description:
        '`responseBody` is not the whole body: the body is longer than 4 KiB, or ended early, or not within the time limit. The status code decides about the outcome nevertheless.',
    }),
    requests: z.int().meta({
      description:
        'How often the request was sent: 2 if the webhook closed a connection that an earlier request had used, before the first byte of a response. Otherwise 1.',
    }),
    attemptedAt: timeSchema,
  })
  .meta({
    id: 'Attempt',
    description:
      'An attempt: one HTTP request to a webhook, which is repeated only if its connection is lost: see `requests`.',
  });

export const attemptListSchema = listSchema(attemptSchema).meta({ id: 'AttemptList' });

const allAttemptsSchema = listSchema(attemptSchema)
  .extend({ searched: searchedSchema.optional() })
  .meta({ id: 'SearchedAttemptList' });
