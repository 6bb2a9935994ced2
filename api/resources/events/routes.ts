import { keyRoute, noBody, noQuery, type Route } from '../../http/route.js';
import type { EventHandlers } from './handlers.js';
import { createEventBody, eventListSchema, eventSchema, listEventsQuery, resendBody } from './schemas.js';

const tag = 'Events';

export function eventRoutes(events: EventHandlers): readonly Route[] {
  return [createEvent(events), listEvents(events), retrieveEvent(events), resendEvent(events)];
}

function createEvent(events: EventHandlers): Route {
  return keyRoute({
    method: 'POST',
    path: '/v1/events',
    operationId: 'createEvent',
    tag,
    summary: 'Post an event',
    description:
      'Records an event and delivers it to every active webhook that asks for its type. A 201 means that the event is on all ' +
      'in-sync replicas of the log, and that a GET of its id finds it. `data` comes back as it was sent, to the byte.',
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
  return keyRoute({
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    tag,
    summary: 'List events',
    description: 'The events of the account and mode, newest first. The filters narrow it down together.',
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
  return keyRoute({
    method: 'GET',
    path: '/v1/events/:id',
    operationId: 'retrieveEvent',
    tag,
    summary: 'Retrieve an event',
    description: 'One event, with what became of it at each webhook that it was for.',
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
  return keyRoute({
    method: 'POST',
    path: '/v1/events/:id/resend',
    operationId: 'resendEvent',
    tag,
    summary: 'Deliver an event again',
    description:
      'Starts the schedule of a delivery anew, whatever has become of it: it is `pending`, is attempted at once, and is repeated if it ' +
      'fails. With `webhookId` it is the delivery to that webhook, else every one whose webhook is active.',
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

/** What the API's description shows. A test checks each against its schema. */

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
