import { z } from 'zod';

import { deliveryStatuses } from '../../../shared/domain/deliveries/delivery.js';
import { createdBounds, typesFilter } from '../../http/filters.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import { eventTypeSchema, modeSchema, timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface EventHandlers {
  readonly create: AuthenticatedHandler<typeof createEventBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listEventsQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly resend: AuthenticatedHandler<typeof resendBody, typeof noQuery>;
}

const tag = 'Events';

export function eventRoutes(events: EventHandlers): readonly Route[] {
  return [createEvent(events), listEvents(events), retrieveEvent(events), resendEvent(events)];
}

function createEvent(events: EventHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/events',
    operationId: 'createEvent',
    tag,
    summary: 'Post an event',
    description:
      'Records an event and delivers it to every active webhook with its type. A 201 response ' +
      'means that the event is on all in-sync replicas of the log, and that a ' +
      'GET with its id returns the event. The API returns `data` byte for byte as posted.',
    scope: 'events:write',
    body: createEventBody,
    query: noQuery,
    successStatus: 201,
    successHeaders: ['Location'],
    response: eventSchema,
    errors: ['event_type_invalid'],
    examples: {
      body: { type: 'order.completed', data: orderData },
      response: { ...eventExample, deliveries: [] },
    },
    handle: events.create,
  });
}

function listEvents(events: EventHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    tag,
    summary: 'List events',
    description: 'Returns the events of the account and mode that match all filters, newest first.',
    scope: 'events:read',
    body: noBody,
    query: listEventsQuery,
    successStatus: 200,
    response: eventListSchema,
    errors: ['event_type_invalid', 'cursor_invalid'],
    examples: { response: { data: [eventExample], hasMore: false } },
    handle: events.list,
  });
}

function retrieveEvent(events: EventHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/events/:id',
    operationId: 'retrieveEvent',
    tag,
    summary: 'Retrieve an event',
    description: 'Returns an event with its deliveries.',
    scope: 'events:read',
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: eventSchema,
    errors: ['resource_missing'],
    examples: { response: eventExample },
    handle: events.retrieve,
  });
}

function resendEvent(events: EventHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/events/:id/resend',
    operationId: 'resendEvent',
    tag,
    summary: 'Deliver an event again',
    description:
      'Restarts the retry schedule of deliveries of the event, in any status. A delivery ' +
      'becomes `pending`, is attempted immediately, and is retried if the attempt fails. ' +
      '`webhookId` selects the delivery to one webhook. Without `webhookId`, the request ' +
      'selects all deliveries to active webhooks.',
    scope: 'events:write',
    body: resendBody,
    bodyIsOptional: true,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: eventSchema,
    errors: ['test_mode_unsupported', 'resource_missing', 'webhook_disabled'],
    examples: {
      body: { webhookId: eventExample.deliveries[0]?.webhookId },
      response: resentEventExample,
    },
    handle: events.resend,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const orderData = { orderId: 'ord_1', amount: 4200, currency: 'eur' };

const eventExample = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  created: '2026-11-21T06:46:41.388Z',
  data: orderData,
  deliveries: [
    {
      webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
      status: 'delivered',
      statusCode: 204,
      deliveredAt: '2026-11-21T06:46:41.440Z',
      attemptCount: 1,
      nextAttemptAt: null,
      error: null,
    },
  ],
  mode: 'live',
};

const resentEventExample = {
  ...eventExample,
  deliveries: eventExample.deliveries.map((delivery) => ({
    ...delivery,
    status: 'pending',
    statusCode: null,
    deliveredAt: null,
  })),
};

const dataSchema = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    mustBe('a JSON object'),
  )
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'The content of the event, with at most 1,000 levels. The API returns it byte for byte as ' +
      'the client sent it.',
  });

export const createEventBody = z.strictObject({ type: eventTypeSchema, data: dataSchema });

export const resendBody = z.strictObject({
  webhookId: z
    .string()
    .optional()
    .meta({
      description:
        'The webhook whose delivery is repeated. The default is every delivery to an active ' + 'webhook.',
    }),
});

const deliveryStatusSchema = z.enum(deliveryStatuses, mustBe(`one of ${deliveryStatuses.join(', ')}`));

export const listEventsQuery = z.strictObject({
  ...pagingParameters(),
  type: typesFilter,
  ...createdBounds('events that were created'),
  webhookId: webhookIdSchema
    .optional()
    .meta({ description: 'Return only events with a delivery to this webhook.' }),
  deliveryStatus: deliveryStatusSchema.optional().meta({
    description:
      'Return only events with a delivery in this status. If `webhookId` is set, the delivery ' +
      'to that webhook must have this status.',
  }),
});

const deliverySchema = z
  .object({
    webhookId: z.string(),
    status: deliveryStatusSchema,
    statusCode: z.int().nullable(),
    deliveredAt: timeSchema.nullable(),
    attemptCount: z.int(),
    nextAttemptAt: timeSchema.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Delivery', description: 'The delivery of an event to one webhook.' });

export const eventSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    created: timeSchema,
    data: z.looseObject({}),
    deliveries: z.array(deliverySchema),
    mode: modeSchema,
  })
  .meta({ id: 'Event' });

export const eventListSchema = listSchema(eventSchema).meta({ id: 'EventList' });
