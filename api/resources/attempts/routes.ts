import { keyRoute, noBody, type Route } from '../../http/route.js';
import type { AttemptHandlers } from './handlers.js';
import { attemptListSchema, listEventAttemptsQuery, listWebhookAttemptsQuery } from './schemas.js';

const responseBodyRule =
  '`responseBody` is the first 4 KiB of the response, read as UTF-8; other bytes become U+FFFD.';

export function attemptRoutes(attempts: AttemptHandlers): readonly Route[] {
  return [listEventAttempts(attempts), listWebhookAttempts(attempts)];
}

function listEventAttempts(attempts: AttemptHandlers): Route {
  return keyRoute({
    method: 'GET',
    path: '/v1/events/:id/attempts',
    operationId: 'listEventAttempts',
    tag: 'Events',
    summary: 'List the attempts to deliver an event',
    description: `Each request that was made to a webhook with this event, newest first. ${responseBodyRule}`,
    scope: 'events:read',
    body: noBody,
    query: listEventAttemptsQuery,
    successStatus: 200,
    response: attemptListSchema,
    errors: ['cursor_invalid', 'resource_missing'],
    examples: { response: { data: [attemptExample], hasMore: false } },
    handle: attempts.ofEvent,
  });
}

function listWebhookAttempts(attempts: AttemptHandlers): Route {
  return keyRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/attempts',
    operationId: 'listWebhookAttempts',
    tag: 'Webhooks',
    summary: 'List the attempts to deliver to a webhook',
    description: `Each request that was made to this webhook, newest first. ${responseBodyRule}`,
    scope: 'webhooks:read',
    body: noBody,
    query: listWebhookAttemptsQuery,
    successStatus: 200,
    response: attemptListSchema,
    errors: ['cursor_invalid', 'resource_missing'],
    examples: { response: { data: [attemptExample], hasMore: false } },
    handle: attempts.ofWebhook,
  });
}

/** What the API's description shows. A test checks it against its schema. */
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
  responseBody: 'Service Unavailable',
  attemptedAt: '2026-11-21T06:46:41.402Z',
};
