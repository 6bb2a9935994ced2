import { keyRoute, noBody, type Route } from '../route.js';
import { attemptExample } from './examples.js';
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
