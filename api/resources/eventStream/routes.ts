import { z } from 'zod';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { Identifiers } from '../../../shared/domain/core/identifiers.js';
import {
  maximumStreams,
  maximumStreamsOfTenants,
  type StreamSlots,
} from '../../../shared/store/redis/streamSlots.js';
import { apiError, isApiError, type ApiError } from '../../http/apiError.js';
import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import type { EventLookup } from '../events/eventLookup.js';
import { typesFilter } from '../../http/filters.js';
import { bytesOwnerOf, limitOwnerOf, requestedTenant, type Owner } from '../../http/ownership.js';
import { tenantFilter } from '../../http/schemas.js';
import {
  createEventPoller,
  type EventPoller,
  type EventPollerDependencies,
  type EventSelection,
} from './eventPoller.js';
import { streamEvents } from './streamEvents.js';

export interface EventStreamHandlers {
  readonly stream: AuthenticatedHandler<typeof noBody, typeof streamEventsQuery>;
}

/** The routes of the event stream precede the route of one event, because `stream` is not an event id. */
export function eventStreamRoutes(eventStream: EventStreamHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      tag: 'Events',
      summary: 'Follow events',
      description:
        'Streams new events of the account and mode as server-sent events, as soon as the list ' +
        'of events contains them. In each message, `id` is the id of the event, `event` is ' +
        '`event`, and `data` is the ' +
        'event as in a GET. The stream sends an event again if its deliveries or ' +
        '`deliveriesComplete` change within about a minute. With the header `Last-Event-ID` the stream resumes a minute before the ' +
        'event with that id. Treat a repeated id as a newer state of the same event. `event: gap` ' +
        'means that the ' +
        'stream misses events, because the id is unknown or more than 1,000 events were new at ' +
        'once. Read the missing events from the list of events. The stream sends a comment every ' +
        '15 seconds. The stream ends when its API key or session ends. An account has at most 5 ' +
        'streams at the same time. In addition, each tenant has at most 5, and all tenants of an account have at most 50.',
      scope: 'events:read',
      tenants: 'own',
      names: null,
      body: noBody,
      query: streamEventsQuery,
      response: null,
      mediaType: 'text/event-stream',
      errors: ['event_type_invalid'],
      handle: eventStream.stream,
    }),
  ];
}

export const streamEventsQuery = z.strictObject({
  type: typesFilter,
  tenantId: tenantFilter.optional().meta({
    description: 'Stream only events of this tenant. `null` selects the events without a tenant.',
  }),
});

interface EventStreamDependencies extends EventPollerDependencies {
  readonly identifiers: Identifiers;
  readonly lookup: EventLookup;
  readonly streamSlots: StreamSlots;
  readonly stopping: AbortSignal;
  readonly unsentBytes: UnsentBytes;
}

const retryAfterSeconds = 15;

export function createEventStreamHandlers(dependencies: EventStreamDependencies): EventStreamHandlers {
  const { identifiers, lookup, streamSlots, stopping, unsentBytes, clock } = dependencies;

  const beginning = async (selection: EventSelection): Promise<EventPoller> => {
    const poller = createEventPoller(dependencies, selection);
    if (selection.since === null) {
      // The first poll runs before the response, so that every event posted after the response is new.
      await poller.poll();
    }
    return poller;
  };

  /** The event after which a client resumes, or null for a new client and for an unknown event. */
  const lastEventOf = async (caller: Owner, id: string | null) =>
    id === null ? null : lookup.find(caller, id);

  return {
    stream: async ({ caller, query, client }) => {
      if (stopping.aborted) {
        throw new UnavailableError('the API process is stopping');
      }
      const requested = requestedTenant(caller, query.tenantId);
      if (isApiError(requested)) {
        return requested;
      }
      const { tenantId } = requested;
      const { lastEventId } = client;
      const last = await lastEventOf(caller, lastEventId);
      const poller = await beginning({
        owner: caller,
        tenantId,
        types: query.type ?? null,
        since: last?.created ?? null,
      });
      const slot = await streamSlots.take(limitOwnerOf(caller), identifiers.createRecordId(clock()));
      if (slot === null) {
        return tooManyOf(caller);
      }
      const content = streamEvents({
        poller,
        beginsWithGap: lastEventId !== null && last === null,
        client,
        slot,
        stopping,
        owner: bytesOwnerOf(caller),
        unsentBytes,
      });
      // The header `X-Accel-Buffering` makes proxies forward each event immediately.
      return { content, contentType: 'text/event-stream', headers: { 'X-Accel-Buffering': 'no' } };
    },
  };
}

const tooMany = rejection(
  `An account has at most ${String(maximumStreams)} streams at the same time. Close another stream first.`,
);

const tooManyOfTenants = rejection(
  `A tenant has at most ${String(maximumStreams)} streams at the same time, and all tenants of an account have at most ` +
    `${String(maximumStreamsOfTenants)}. Close another stream first.`,
);

function tooManyOf({ tenant }: Owner): ApiError {
  return tenant === null ? tooMany : tooManyOfTenants;
}

function rejection(message: string): ApiError {
  return apiError('rate_limit_exceeded', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}
