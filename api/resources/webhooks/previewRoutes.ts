import { noQuery, authenticatedRoute, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { previewBody, previewExample, previewSchema } from './previewSchemas.js';

export interface PreviewHandlers {
  readonly preview: AuthenticatedHandler<typeof previewBody, typeof noQuery>;
}

export function previewRoutes({ preview }: PreviewHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'POST',
      path: '/v1/webhooks/:id/preview',
      operationId: 'previewWebhook',
      tag: 'Webhooks',
      summary: 'Preview what a webhook receives',
      description:
        'Sends nothing, and changes nothing. With `eventId`, or with `type` and `data` of a made-up event, the ' +
        'response says whether the webhook gets this event, and shows the request. With `since`, a filter is tried on ' +
        'the newest 10,000 events of the types and the tenant of the webhook.',
      scope: 'webhooks:read',
      otherScope: 'events:read',
      tenants: 'own',
      names: 'webhook',
      body: previewBody,
      query: noQuery,
      response: previewSchema,
      errors: ['resource_missing', 'event_type_invalid', 'filter_invalid'],
      examples: { body: { type: 'order.completed', data: { total: 40 } }, response: previewExample },
      handle: preview,
    }),
  ];
}
