import { z } from 'zod';

import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  deletedEventTypeSchema,
  dryRunExample,
  eventTypeExample,
  eventTypeListSchema,
  eventTypeSchema,
  listEventTypesQuery,
  putEventTypeBody,
  putEventTypeExample,
  putEventTypeQuery,
  putResultSchema,
  usageExample,
  usageQuery,
  usageSchema,
} from './schemas.js';

export interface EventTypeHandlers {
  readonly put: AuthenticatedHandler<typeof putEventTypeBody, typeof putEventTypeQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listEventTypesQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly usage: AuthenticatedHandler<typeof noBody, typeof usageQuery>;
  readonly remove: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly catalog: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Event types';

export function eventTypeRoutes(eventTypes: EventTypeHandlers): readonly Route[] {
  return [
    putEventType(eventTypes),
    listEventTypes(eventTypes),
    retrieveEventType(eventTypes),
    retrieveEventTypeUsage(eventTypes),
    deleteEventType(eventTypes),
    retrieveEventCatalog(eventTypes),
  ];
}

function putEventType(eventTypes: EventTypeHandlers): Route {
  return authenticatedRoute({
    method: 'PUT',
    path: '/v1/event-types/:name',
    operationId: 'putEventType',
    tag,
    summary: 'Create or replace an event type',
    description:
      'Replaces all fields of an event type, or creates it. A field that is left out gets its default. After the ' +
      'response, the API checks posted events with the new schema. With `dryRun=true`, the request changes nothing: it ' +
      'checks the newest 10,000 events of the type, and the response has status 200. An account has at most 1,000 event ' +
      'types in each mode.',
    scope: 'event-types:write',
    tenants: 'forbidden',
    names: 'event-type',
    body: putEventTypeBody,
    query: putEventTypeQuery,
    successStatus: 201,
    response: putResultSchema,
    otherSuccess: { status: 200, response: putResultSchema, example: dryRunExample },
    errors: ['event_type_invalid', 'schema_invalid', 'event_type_limit_reached'],
    examples: { body: putEventTypeExample, response: eventTypeExample },
    handle: eventTypes.put,
  });
}

function listEventTypes(eventTypes: EventTypeHandlers): Route {
  const { schema: _schema, examples: _examples, ...summary } = eventTypeExample;
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/event-types',
    operationId: 'listEventTypes',
    tag,
    summary: 'List event types',
    description:
      'Returns the event types of the account and mode, newest first. The cursor of the list is the `name` of an event ' +
      'type. A page ends early if its schemas and examples exceed 1 MiB.',
    scope: 'event-types:read',
    tenants: 'shared',
    names: null,
    body: noBody,
    query: listEventTypesQuery,
    response: eventTypeListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [summary], hasMore: false } },
    handle: eventTypes.list,
  });
}

function retrieveEventType(eventTypes: EventTypeHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/event-types/:name',
    operationId: 'retrieveEventType',
    tag,
    summary: 'Retrieve an event type',
    description: 'Returns an event type. `schema` and `examples` are byte for byte as the client sent them.',
    scope: 'event-types:read',
    tenants: 'shared',
    names: 'event-type',
    body: noBody,
    query: noQuery,
    response: eventTypeSchema,
    errors: ['resource_missing'],
    examples: { response: eventTypeExample },
    handle: eventTypes.retrieve,
  });
}

function retrieveEventTypeUsage(eventTypes: EventTypeHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/event-types/:name/usage',
    operationId: 'retrieveEventTypeUsage',
    tag,
    summary: 'Retrieve the usage of an event type',
    description:
      'Returns the number of events of each of the last days, oldest day first, and the time of the last event. A count ' +
      'ends at 10,000 events of a day. `isAtLeast` marks such a count.',
    scope: 'event-types:read',
    tenants: 'forbidden',
    names: 'event-type',
    body: noBody,
    query: usageQuery,
    response: usageSchema,
    errors: ['resource_missing'],
    examples: { response: usageExample },
    handle: eventTypes.usage,
  });
}

function deleteEventType(eventTypes: EventTypeHandlers): Route {
  return authenticatedRoute({
    method: 'DELETE',
    path: '/v1/event-types/:name',
    operationId: 'deleteEventType',
    tag,
    summary: 'Delete an event type',
    description:
      'Deletes an event type. Its events remain. After the response, the API does not check posted events of the type.',
    scope: 'event-types:write',
    tenants: 'forbidden',
    names: 'event-type',
    body: noBody,
    query: noQuery,
    response: deletedEventTypeSchema,
    errors: ['resource_missing'],
    examples: { response: { name: eventTypeExample.name, deleted: true } },
    handle: eventTypes.remove,
  });
}

function retrieveEventCatalog(eventTypes: EventTypeHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/event-catalog.json',
    operationId: 'retrieveEventCatalog',
    tag,
    summary: 'Retrieve the event catalog',
    description:
      'Returns an OpenAPI 3.1 document for code generators. `webhooks` describes the request of each event type. The ' +
      'document has at most 8 MiB. If it would be larger, the oldest event types have their schemas, and the others only ' +
      'their names.',
    scope: 'event-types:read',
    tenants: 'shared',
    names: null,
    body: noBody,
    query: noQuery,
    response: catalogSchema,
    isCacheable: true,
    errors: [],
    examples: { response: catalogExample },
    handle: eventTypes.catalog,
  });
}

const catalogSchema = z
  .looseObject({ openapi: z.literal('3.1.0') })
  .meta({ id: 'EventCatalog', description: 'An OpenAPI 3.1 document.' });

const catalogExample = { openapi: '3.1.0', info: { title: 'Event catalog', version: '1' }, webhooks: {} };
