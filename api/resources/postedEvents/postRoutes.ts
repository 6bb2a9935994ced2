import { z } from 'zod';

import { authenticatedRoute, noQuery, type Route } from '../../http/route.js';
import { createEventBatchBody } from '../../postedEvents/batch.js';
import { cloudEventBodies } from '../../postedEvents/cloudEventSchemas.js';
import { maximumBatchBytes } from '../../postedEvents/items.js';
import { respondToPosted, type PostedEventsHandler } from './postedEventsRoute.js';
import { createEventBody, eventSchema, type EventHandlers } from '../events/routes.js';

export interface PostHandlers {
  readonly createCloudEvents: PostedEventsHandler;
  readonly createBatch: PostedEventsHandler;
}

const tag = 'Events';

const cloudEvents =
  'The operation also takes CloudEvents 1.0: structured (`application/cloudevents+json`), batched ' +
  '(`application/cloudevents-batch+json`) and binary (headers `ce-id`, `ce-source`, `ce-specversion`, `ce-type`). ' +
  'A CloudEvent with the same `id` and `source` is recorded once within 24 hours.';

const createdExample = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  created: '2026-11-21T06:46:41.388Z',
  tenantId: null,
  data: { orderId: 'ord_1', amount: 4200, currency: 'eur' },
  deliveries: [],
  deliveriesComplete: false,
  validation: null,
  mode: 'live',
};
const { type, data } = createdExample;
const batchExample = { data: [{ event: createdExample }] };

const itemErrorSchema = z
  .object({
    type: z.string(),
    code: z.string(),
    message: z.string(),
    param: z
      .string()
      .nullable()
      .meta({ description: 'The invalid field, such as `events[3].type`, or null.' }),
  })
  .meta({ id: 'EventError', description: 'The reason why an event of a batch was not recorded.' });

const resultSchema = z.object({ event: eventSchema.optional(), error: itemErrorSchema.optional() }).meta({
  id: 'EventBatchResult',
  description: 'The recorded event, or the reason why it was not recorded. The other field is absent.',
});

export const eventBatchSchema = z
  .object({
    data: z.array(resultSchema),
  })
  .meta({ id: 'EventBatch' });

/** The operations that post events. */
export function postRoutes(events: PostHandlers & Pick<EventHandlers, 'create'>): readonly Route[] {
  return [createEvent(events), createEventBatch(events)];
}

function createEvent({ create, createCloudEvents }: PostHandlers & Pick<EventHandlers, 'create'>): Route {
  const json = authenticatedRoute({
    method: 'POST',
    path: '/v1/events',
    operationId: 'createEvent',
    tag,
    summary: 'Post an event',
    description:
      'Records an event and delivers it to every active webhook with its type. A 201 response ' +
      'means that the event is on all in-sync replicas of the log, and that a ' +
      'GET with its id returns the event. The API returns `data` byte for byte as posted.\n\n' +
      `${cloudEvents} A batch gets the response of \`POST /v1/events/batch\`.`,
    scope: 'events:write',
    tenants: 'posting',
    names: null,
    events: 'single',
    body: createEventBody,
    otherBodies: cloudEventBodies,
    query: noQuery,
    successStatus: 201,
    successHeaders: ['Location'],
    response: eventSchema,
    errors: ['event_type_invalid', 'event_data_invalid'],
    examples: { body: { type, data }, response: createdExample },
    handle: create,
  });
  const respondToCloudEvents = respondToPosted(createCloudEvents);
  return {
    ...json,
    respond: (request) => (request.posted === null ? json.respond(request) : respondToCloudEvents(request)),
  };
}

function createEventBatch({ createBatch }: PostHandlers): Route {
  return {
    method: 'POST',
    path: '/v1/events/batch',
    operationId: 'createEventBatch',
    tag,
    summary: 'Post several events',
    description:
      'Records 1 to 500 events. Each event succeeds or fails separately: `data` contains an event or an error ' +
      'for each event, in the order of the request. An `idempotencyKey` prevents that a repeated event is ' +
      'recorded again, in any batch. A batch counts as one request for every ten events, rounded up.\n\n' +
      cloudEvents,
    access: 'api-key',
    scope: 'events:write',
    tenants: 'posting',
    names: null,
    events: 'batch',
    maximumBodyBytes: maximumBatchBytes,
    body: createEventBatchBody,
    otherBodies: cloudEventBodies,
    query: noQuery,
    successStatus: 200,
    response: eventBatchSchema,
    errors: ['event_type_invalid', 'event_data_invalid'],
    examples: {
      body: { events: [{ type, data, idempotencyKey: 'ord_1' }] },
      response: batchExample,
    },
    respond: respondToPosted(createBatch),
  };
}
