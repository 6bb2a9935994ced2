import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  createWebhookBody,
  deletedWebhookSchema,
  listWebhooksQuery,
  rotateSecretBody,
  testDeliverySchema,
  testWebhookBody,
  updateWebhookBody,
  webhookExample,
  webhookListSchema,
  webhookSchema,
  webhookSecretExample,
  webhookWithSecretSchema,
} from './schemas.js';

export interface WebhookHandlers {
  readonly create: AuthenticatedHandler<typeof createWebhookBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listWebhooksQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly update: AuthenticatedHandler<typeof updateWebhookBody, typeof noQuery>;
  readonly rotateSecret: AuthenticatedHandler<typeof rotateSecretBody, typeof noQuery>;
  readonly remove: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly test: AuthenticatedHandler<typeof testWebhookBody, typeof noQuery>;
}

const tag = 'Webhooks';

export function webhookRoutes(webhooks: WebhookHandlers): readonly Route[] {
  return [
    listWebhooks(webhooks),
    createWebhook(webhooks),
    retrieveWebhook(webhooks),
    updateWebhook(webhooks),
    rotateSecret(webhooks),
    deleteWebhook(webhooks),
    testWebhook(webhooks),
  ];
}

function listWebhooks(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
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
  return authenticatedRoute({
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
      response: { ...webhookExample, secret: webhookSecretExample },
    },
    handle: webhooks.create,
  });
}

function retrieveWebhook(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
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

function updateWebhook(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    operationId: 'updateWebhook',
    tag,
    summary: 'Change a webhook',
    description:
      'Changes the fields that are sent; a `description` of null takes it away. With the `status` `disabled` nothing more is sent to it ' +
      'once this is answered, and what was planned ends as `canceled`. `active` enables it again, also where the service has disabled it.',
    scope: 'webhooks:write',
    body: updateWebhookBody,
    query: noQuery,
    successStatus: 200,
    response: webhookSchema,
    errors: ['url_invalid', 'url_not_allowed', 'event_type_invalid', 'resource_missing'],
    examples: { body: { events: webhookExample.events, status: 'active' }, response: webhookExample },
    handle: webhooks.update,
  });
}

function rotateSecret(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag,
    summary: 'Rotate the secret of a webhook',
    description:
      'Gives the webhook a new `secret`, which is shown this once. For `expiresIn` seconds (a day where it is left out, a week at ' +
      'most) the one before signs too, so that the receiver can change over. With more than ten secrets at once, the oldest ends early.',
    scope: 'webhooks:write',
    body: rotateSecretBody,
    bodyIsOptional: true,
    query: noQuery,
    successStatus: 200,
    response: webhookWithSecretSchema,
    errors: ['resource_missing'],
    examples: { body: { expiresIn: 3600 }, response: { ...webhookExample, secret: webhookSecretExample } },
    handle: webhooks.rotateSecret,
  });
}

function deleteWebhook(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
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

function testWebhook(webhooks: WebhookHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    operationId: 'testWebhook',
    tag,
    summary: 'Send a test delivery to a webhook',
    description:
      'Posts an event that goes to this webhook alone, whatever types it asks for: one attempt, which is not repeated. The event is ' +
      'listed like any other; its attempts show what the webhook answered.',
    scope: 'webhooks:write',
    body: testWebhookBody,
    bodyIsOptional: true,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: testDeliverySchema,
    errors: ['test_mode_unsupported', 'event_type_invalid', 'resource_missing', 'webhook_disabled'],
    examples: {
      body: { type: 'webhook.test' },
      response: { eventId: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5' },
    },
    handle: webhooks.test,
  });
}
