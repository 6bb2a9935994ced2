import type { EventHandlers } from './events/handlers.js';
import { createEventBody, eventListSchema, eventSchema, listEventsQuery } from './events/schemas.js';
import type { OperationHandlers } from './operations/handlers.js';
import { healthSchema, readinessSchema } from './operations/schemas.js';
import { keyRoute, noBody, noQuery, openRoute, type Route } from './route.js';
import type { WebhookHandlers } from './webhooks/handlers.js';
import {
  createWebhookBody,
  deletedWebhookSchema,
  listWebhooksQuery,
  webhookListSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from './webhooks/schemas.js';

export interface Handlers {
  readonly events: EventHandlers;
  readonly webhooks: WebhookHandlers;
  readonly operations: OperationHandlers;
}

/** The API: one entry for each operation. Routing, 404, 405, validation and the API's description follow from it. */
export function createRoutes({ events, webhooks, operations }: Handlers): readonly Route[] {
  return [...eventRoutes(events), ...webhookRoutes(webhooks), ...operationRoutes(operations)];
}

function eventRoutes(events: EventHandlers): readonly Route[] {
  return [
    keyRoute({
      method: 'POST',
      path: '/v1/events',
      scope: 'events:write',
      body: createEventBody,
      query: noQuery,
      successStatus: 201,
      response: eventSchema,
      handle: events.create,
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/events',
      scope: 'events:read',
      body: noBody,
      query: listEventsQuery,
      successStatus: 200,
      response: eventListSchema,
      handle: events.list,
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/events/:id',
      scope: 'events:read',
      body: noBody,
      query: noQuery,
      successStatus: 200,
      response: eventSchema,
      handle: events.retrieve,
    }),
  ];
}

function webhookRoutes(webhooks: WebhookHandlers): readonly Route[] {
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/webhooks',
      scope: 'webhooks:read',
      body: noBody,
      query: listWebhooksQuery,
      successStatus: 200,
      response: webhookListSchema,
      handle: webhooks.list,
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/webhooks',
      scope: 'webhooks:write',
      body: createWebhookBody,
      query: noQuery,
      successStatus: 201,
      response: webhookWithSecretSchema,
      handle: webhooks.create,
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/webhooks/:id',
      scope: 'webhooks:read',
      body: noBody,
      query: noQuery,
      successStatus: 200,
      response: webhookSchema,
      handle: webhooks.retrieve,
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      scope: 'webhooks:write',
      body: noBody,
      query: noQuery,
      successStatus: 200,
      response: deletedWebhookSchema,
      handle: webhooks.remove,
    }),
  ];
}

function operationRoutes(operations: OperationHandlers): readonly Route[] {
  return [
    openRoute({ path: '/healthz', response: healthSchema, handle: operations.health }),
    openRoute({ path: '/readyz', response: readinessSchema, handle: operations.readiness }),
    openRoute({ path: '/metrics', response: null, handle: operations.metrics }),
  ];
}
