import { z } from 'zod';

import { deliveryStatuses } from '../../../shared/domain/deliveries/delivery.js';
import { validationStatuses } from '../../../shared/domain/events/event.js';
import { deliveryErrorCodeSchema, deliveryErrorSchema } from '../../http/deliveryErrors.js';
import { createdBounds, statusCodeFilter, typesFilter } from '../../http/filters.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  dataSchema,
  eventTenantSchema,
  eventTypeSchema,
  modeSchema,
  searchedSchema,
  tenantFilter,
  timeSchema,
  webhookIdSchema,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface EventHandlers {
  readonly create: AuthenticatedHandler<typeof createEventBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listEventsQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly resend: AuthenticatedHandler<typeof resendBody, typeof noQuery>;
}

const tag = 'Events';

export function eventRoutes(events: EventHandlers): readonly Route[] {
  return [listEvents(events), retrieveEvent(events), resendEvent(events)];
}

function listEvents(events: EventHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    tag,
    summary: 'List events',
    description:
      'Returns the events of the account and mode that match all filters, newest first. A search, and a list with ' +
      'several filters, end after about a second. If `searched` has a cursor, the next page begins at the cursor.',
    scope: 'events:read',
    tenants: 'own',
    names: null,
    body: noBody,
    query: listEventsQuery,
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
    tenants: 'own',
    names: 'event',
    body: noBody,
    query: noQuery,
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
      'selects all deliveries to active webhooks. A resend joins a restart that has not begun: several resends and ' +
      'replays of a delivery before its next attempt share that attempt. If the deliveries of a new event are not known yet, the request ' +
      'waits up to two seconds, and then returns `deliveries_unknown`.',
    scope: 'events:write',
    tenants: 'own',
    names: 'event',
    body: resendBody,
    bodyIsOptional: true,
    isLiveOnly: true,
    query: noQuery,
    successStatus: 202,
    response: eventSchema,
    errors: ['test_mode_unsupported', 'resource_missing', 'webhook_disabled', 'deliveries_unknown'],
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
  tenantId: null,
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
  deliveriesComplete: true,
  validation: null,
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

export const createEventBody = z
  .strictObject({ type: eventTypeSchema, data: dataSchema, tenantId: eventTenantSchema })
  .meta({ id: 'CreateEventRequest' });

export const resendBody = z
  .strictObject({
    webhookId: z.string().optional().meta({
      description:
        'The webhook whose delivery is repeated. The default is every delivery to an active webhook.',
    }),
  })
  .meta({ id: 'ResendEventRequest' });

const deliveryStatusSchema = z
  .enum(deliveryStatuses, mustBe(`one of ${deliveryStatuses.join(', ')}`))
  .meta({ id: 'DeliveryStatus' });

const deliveryStatusesFilter = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(deliveryStatusSchema)
      .max(deliveryStatuses.length, mustBe(`given at most ${String(deliveryStatuses.length)} times`)),
  )
  .optional()
  .meta({
    description:
      'Return only events with a delivery in this status, or in one of these ' +
      'statuses. If `webhookId` is set, the delivery to that webhook must have one of them.',
  });

/** A text of 3 to 200 Unicode characters, which may be line breaks. */
const searchSchema = z
  .string(mustBe('given once'))
  .regex(/^.{3,200}$/su, mustBe('3 to 200 characters long'))
  .meta({ describedAs: { type: 'string', minLength: 3, maxLength: 200 } });

export const listEventsQuery = z.strictObject({
  ...pagingParameters(),
  type: typesFilter,
  ...createdBounds('events that were created'),
  webhookId: webhookIdSchema
    .optional()
    .meta({ description: 'Return only events with a delivery to this webhook.' }),
  deliveryStatus: deliveryStatusesFilter,
  tenantId: tenantFilter.optional().meta({
    description:
      'Return only events of this tenant. `null` selects the events without a tenant. If an account has many events of ' +
      'tenants, a page for `null` may be short and have a cursor.',
  }),
  fields: z
    .enum(['summary'], mustBe('summary'))
    .optional()
    .meta({ description: 'Return the events without `data`.' }),
  search: searchSchema.optional().meta({
    description:
      'Return only events that contain this text in the id or in the JSON text of `data`, in upper or lower case. ' +
      'The search compares the characters of strings, not their escape sequences. It starts with the newest event ' +
      'and ends after about a second, or when the page is full.',
  }),
  statusCode: statusCodeFilter.optional().meta({
    description: 'Return only events with a delivery whose last attempt got this status code.',
  }),
  validation: z
    .enum(['invalid', 'unknown'], mustBe('invalid or unknown'))
    .optional()
    .meta({
      description:
        'Return only events whose `data` does not match the schema of their type (`invalid`), or whose check has ' +
        'not ended (`unknown`).',
    }),
  errorCode: deliveryErrorCodeSchema.optional().meta({
    description:
      'Return only events with a delivery whose last attempt failed with this error, or that ' +
      'ended with this error. One and the same delivery must pass all filters on deliveries.',
  }),
});

const deliverySchema = z
  .object({
    webhookId: z.string(),
    status: deliveryStatusSchema,
    statusCode: z.int().nullable(),
    deliveredAt: timeSchema.nullable(),
    attemptCount: z.int().meta({
      description: 'The number of recorded attempts, including those of earlier resends and replays.',
    }),
    nextAttemptAt: timeSchema.nullable(),
    error: deliveryErrorSchema.meta({ id: 'DeliveryError' }).nullable(),
  })
  .meta({ id: 'Delivery', description: 'The delivery of an event to one webhook.' });

const validationSchema = z
  .object({
    status: z.enum(validationStatuses).meta({
      id: 'EventValidationStatus',
      description:
        'Whether `data` matches the schema of the event type. `unknown` means that the check has not ended.',
    }),
    param: z.string().nullable().meta({ description: 'The place of the failure, such as `data.amount`.' }),
    message: z.string().nullable(),
  })
  .meta({
    id: 'EventValidation',
    description:
      'The result of the check with the schema of the event type. It is null if there was no check.',
  });

export const eventSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    created: timeSchema,
    tenantId: z.string().nullable().meta({ description: 'The tenant of the event, or null.' }),
    data: dataSchema,
    deliveries: z.array(deliverySchema),
    deliveriesComplete: z.boolean().meta({
      description:
        'Whether `deliveries` contains every matching webhook. It is false until delivery has taken up the ' +
        'event, which is normally a few milliseconds after the 201 response. While it is false, the event may ' +
        'get more deliveries. Once it is true, the set of deliveries changes only by a replay.',
    }),
    validation: validationSchema.nullable(),
    mode: modeSchema,
  })
  .meta({ id: 'Event' });

const listedEventSchema = eventSchema
  .partial({ data: true })
  .meta({ id: 'ListedEvent', description: 'An event in a list. With `fields=summary`, it has no `data`.' });

export const eventListSchema = listSchema(listedEventSchema)
  .extend({ searched: searchedSchema.optional() })
  .meta({ id: 'EventList' });
