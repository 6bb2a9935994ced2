import { keyRoute, noBody, noQuery, type Route } from '../route.js';
import { secretExample, webhookExample } from './examples.js';
import type { WebhookHandlers } from './handlers.js';
import {
  createWebhookBody,
  deletedWebhookSchema,
  listWebhooksQuery,
  webhookListSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from './schemas.js';

const tag = 'Webhooks';

export function webhookRoutes(webhooks: WebhookHandlers): readonly Route[] {
  return [
    listWebhooks(webhooks),
    createWebhook(webhooks),
    retrieveWebhook(webhooks),
    deleteWebhook(webhooks),
  ];
}

function listWebhooks(webhooks: WebhookHandlers): Route {
  return keyRoute({
    method: 'GET',
    path: '/v1/webhooks',
    operationId: 'listWebhooks',
    tag,
    summary: 'List webhooks',
    description: 'The webhooks of the account and mode, newest first.',
    scope: 'webhooks:read',
    body: noBody,
    query: listWebhooksQuery,
    successStatus: 200,
    response: webhookListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [webhookExample], hasMore: false } },
    handle: webhooks.list,
  });
}

function createWebhook(webhooks: WebhookHandlers): Route {
  return keyRoute({
    method: 'POST',
    path: '/v1/webhooks',
    operationId: 'createWebhook',
    tag,
    summary: 'Create a webhook',
    description:
      'A URL that gets the events of these types; `*` alone stands for all types. It receives every event that is posted after ' +
      'this answer. The `secret` signs what is sent to it, and is shown this once.',
    scope: 'webhooks:write',
    body: createWebhookBody,
    query: noQuery,
    successStatus: 201,
    successHeaders: ['Location'],
    response: webhookWithSecretSchema,
    errors: ['url_invalid', 'url_not_allowed', 'event_type_invalid', 'webhook_limit_reached'],
    examples: {
      body: { url: webhookExample.url, events: webhookExample.events, description: 'Shop' },
      response: { ...webhookExample, secret: secretExample },
    },
    handle: webhooks.create,
  });
}

function retrieveWebhook(webhooks: WebhookHandlers): Route {
  return keyRoute({
    method: 'GET',
    path: '/v1/webhooks/:id',
    operationId: 'retrieveWebhook',
    tag,
    summary: 'Retrieve a webhook',
    description: 'One webhook, without its secret.',
    scope: 'webhooks:read',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: webhookSchema,
    errors: ['resource_missing'],
    examples: { response: webhookExample },
    handle: webhooks.retrieve,
  });
}

function deleteWebhook(webhooks: WebhookHandlers): Route {
  return keyRoute({
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    operationId: 'deleteWebhook',
    tag,
    summary: 'Delete a webhook',
    description:
      'Once this is answered, no delivery to the webhook makes its first attempt any more. What was planned ends as `canceled`.',
    scope: 'webhooks:write',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: deletedWebhookSchema,
    errors: ['resource_missing'],
    examples: { response: { id: webhookExample.id, deleted: true } },
    handle: webhooks.remove,
  });
}
