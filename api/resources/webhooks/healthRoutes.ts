import { isApiError, missingResource } from '../../http/apiError.js';
import { requestedTenant } from '../../http/ownership.js';
import { jsonResponse } from '../../http/response.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  deliveryHealthExample,
  deliveryHealthQuery,
  deliveryHealthSchema,
  webhookHealthExample,
  webhookHealthSchema,
} from './healthSchemas.js';
import { totalsOf, type WebhookHealthReads } from './webhookHealth.js';
import type { WebhookLookup } from './webhookLookup.js';

export interface HealthHandlers {
  readonly ofWebhook: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly ofAll: AuthenticatedHandler<typeof noBody, typeof deliveryHealthQuery>;
}

const tag = 'Webhooks';

export function healthRoutes(health: HealthHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/webhooks/:id/health',
      operationId: 'retrieveWebhookHealth',
      tag,
      summary: 'Get the health of a webhook',
      description:
        'Returns the number of deliveries of a webhook by status, their errors, and the times of ' +
        'the last attempts. The counts are exact as of `asOf`, for any number of events. If a ' +
        'count is unknown, the response is 503.',
      scope: 'webhooks:read',
      tenants: 'own',
      names: 'webhook',
      body: noBody,
      query: noQuery,
      response: webhookHealthSchema,
      errors: ['resource_missing'],
      examples: { response: webhookHealthExample },
      handle: health.ofWebhook,
    }),
    authenticatedRoute({
      method: 'GET',
      path: '/v1/delivery-health',
      operationId: 'retrieveDeliveryHealth',
      tag,
      summary: 'Get the health of all webhooks',
      description:
        'Returns the number of webhooks of the account and mode by state, and the number of their ' +
        'deliveries by status. A deleted webhook is not counted, and its deliveries are not. The ' +
        'counts are exact as of `asOf`. With `tenantId`, only the webhooks with this `tenantId` are counted.',
      scope: 'webhooks:read',
      tenants: 'own',
      names: null,
      body: noBody,
      query: deliveryHealthQuery,
      response: deliveryHealthSchema,
      errors: [],
      examples: { response: deliveryHealthExample },
      handle: health.ofAll,
    }),
  ];
}

interface HealthHandlerDependencies {
  readonly lookup: Pick<WebhookLookup, 'find'>;
  readonly health: WebhookHealthReads;
}

export function createHealthHandlers({ lookup, health }: HealthHandlerDependencies): HealthHandlers {
  return {
    ofWebhook: async ({ caller, id }) => {
      const webhook = await lookup.find(caller, id);
      if (webhook === null) {
        return missingResource('webhook', id);
      }
      const { byWebhook } = await health.read(caller.accountId, [webhook]);
      return jsonResponse(byWebhook.get(id));
    },

    ofAll: async ({ caller, query }) => {
      const requested = requestedTenant(caller, query.tenantId);
      return isApiError(requested)
        ? requested
        : jsonResponse(totalsOf(await health.readTotals(caller, requested.tenantId)));
    },
  };
}
