import { z } from 'zod';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { Identifiers } from '../../../shared/domain/core/identifiers.js';
import { maximumStreams, type StreamSlots } from '../../../shared/store/redis/streamSlots.js';
import { apiError } from '../../http/apiError.js';
import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import type { EventLookup } from '../events/eventLookup.js';
import { typesFilter } from '../../http/filters.js';
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
        'event as in a GET. The stream sends an event again if its deliveries change within ' +
        'about a minute. With the header `Last-Event-ID` the stream resumes a minute before the ' +
        'event with that id. Treat a repeated id as a newer state of the same event. `event: gap` ' +
        'means that the ' +
        'stream misses events, because the id is unknown or more than 1,000 events were new at ' +
        'once. Read the missing events from the list of events. The stream sends a comment every ' +
        '15 seconds. The stream ends when its API key or session ends. An account has at most 5 ' +
        'streams at the same time.',
      scope: 'events:read',
      body: noBody,
      query: streamEventsQuery,
      successStatus: 200,
      response: null,
      mediaType: 'text/event-stream',
      errors: ['event_type_invalid'],
      handle: eventStream.stream,
    }),
  ];
}

export const streamEventsQuery = z.strictObject({ type: typesFilter });

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

  return {
    stream: async ({ caller, query, client }) => {
      if (stopping.aborted) {
        throw new UnavailableError('the API process is stopping');
      }
      const { lastEventId } = client;
      const last = lastEventId === null ? null : await lookup.find(caller, lastEventId);
      const poller = await beginning({
        owner: caller,
        types: query.type ?? null,
        since: last?.created ?? null,
      });
      const slot = await streamSlots.take(caller.accountId, identifiers.createRecordId(clock()));
      if (slot === null) {
        return tooMany;
      }
      const content = streamEvents({
        poller,
        beginsWithGap: lastEventId !== null && last === null,
        client,
        slot,
        stopping,
        owner: caller.accountId,
        unsentBytes,
      });
      // The header `X-Accel-Buffering` makes proxies forward each event immediately.
      return { content, contentType: 'text/event-stream', headers: { 'X-Accel-Buffering': 'no' } };
    },
  };
}

const tooMany = apiError(
  'rate_limit_exceeded',
  `An account has at most ${String(maximumStreams)} streams at the same time. Close another stream first.`,
  { headers: { 'Retry-After': String(retryAfterSeconds) } },
);
