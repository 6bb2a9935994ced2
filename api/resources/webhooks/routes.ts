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
import { credentialsExample, optionsExample } from './options/optionSchemas.js';

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
    description: 'Returns the webhooks of the account and mode, newest first.',
    scope: 'webhooks:read',
    tenants: 'own',
    names: null,
    body: noBody,
    query: listWebhooksQuery,
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
      'Creates a webhook for events of the given types. A single `*` means all types. The ' +
      'webhook receives every matching event that is posted after the response. The `secret` ' +
      'signs the deliveries of the webhook. Only the response of this operation contains the ' +
      '`secret`. A webhook that moves here from another system keeps its secret if the request contains it.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: null,
    body: createWebhookBody,
    query: noQuery,
    successStatus: 201,
    successHeaders: ['Location'],
    response: webhookWithSecretSchema,
    errors: [
      'url_invalid',
      'url_not_allowed',
      'event_type_invalid',
      'filter_invalid',
      'webhook_limit_reached',
      'tenant_unknown',
    ],
    examples: {
      body: {
        url: webhookExample.url,
        events: webhookExample.events,
        description: 'Shop',
        ...optionsExample,
        ...credentialsExample.given,
      },
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
    description: 'Returns a webhook without its secret.',
    scope: 'webhooks:read',
    tenants: 'own',
    names: 'webhook',
    body: noBody,
    query: noQuery,
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
      'Changes the given fields of a webhook. A `description` of null removes the description, and an option of ' +
      'null removes the option. ' +
      'After the response to the status `disabled`, the service sends no request to the ' +
      'webhook, and scheduled deliveries end as `canceled`. The status `active` enables the ' +
      'webhook, also if the service has disabled the webhook. Outcomes of requests to an earlier `url`, or with ' +
      'earlier `headers`, do not disable the webhook, and scheduled deliveries go to the new one.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: 'webhook',
    body: updateWebhookBody,
    query: noQuery,
    response: webhookSchema,
    errors: ['url_invalid', 'url_not_allowed', 'event_type_invalid', 'filter_invalid', 'resource_missing'],
    examples: {
      body: { events: webhookExample.events, status: 'active', timeoutSeconds: 20, metadata: null },
      response: { ...webhookExample, metadata: null },
    },
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
      'Creates a new `secret` for a webhook, or uses that of the request. Only the response of this operation contains the ' +
      '`secret`. The old secret also signs deliveries for `expiresIn` seconds, so that the ' +
      'receiver can change its secret. The default of `expiresIn` is a day, and the maximum is ' +
      'a week. With 0, as after a leak, only the new secret signs from then on: the secrets of ' +
      'earlier rotations end too. If a webhook has more than ten secrets, the oldest secret expires early.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: 'webhook',
    body: rotateSecretBody,
    bodyIsOptional: true,
    query: noQuery,
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
      'Deletes a webhook. After the response, no delivery to the webhook makes its first ' +
      'attempt. Scheduled deliveries of the webhook end as `canceled`.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: 'webhook',
    body: noBody,
    query: noQuery,
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
      'Posts an event for this webhook only, regardless of its event types. The test delivery ' +
      'has one attempt and no retries. The list of events contains the test event, and its ' +
      'attempts show the response of the webhook. The webhook receives `data` byte for byte as posted.',
    scope: 'webhooks:write',
    tenants: 'own',
    names: 'webhook',
    body: testWebhookBody,
    bodyIsOptional: true,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: testDeliverySchema,
    errors: ['test_mode_unsupported', 'event_type_invalid', 'resource_missing', 'webhook_disabled'],
    examples: {
      body: { type: 'order.completed', data: { orderId: 'ord_1' } },
      response: { eventId: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5' },
    },
    handle: webhooks.test,
  });
}
