import { z } from 'zod';

import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { typesFilter } from '../events/routes.js';

export interface EventStreamHandlers {
  readonly stream: AuthenticatedHandler<typeof noBody, typeof streamEventsQuery>;
}

/** These routes precede the route of one event, because `stream` is not an id. */
export function eventStreamRoutes(eventStream: EventStreamHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      tag: 'Events',
      summary: 'Follow events',
      description:
        'New events of the account and mode as server-sent events, as soon as the list contains them. `id` is the id of the event, ' +
        '`event` is `event`, and `data` is the event as in a GET. An event is sent again if its deliveries change within about a ' +
        'minute. With the header `Last-Event-ID` the stream resumes a minute before that event. Treat a repeated id as a newer state ' +
        'of the same event. `event: gap` means that events are missing, because the id is unknown or more than 1,000 events were ' +
        'new at once. Read the missing events from the list. A comment is sent every 15 seconds. The stream ends with the key or ' +
        'the session. An account has at most 5 streams at once.',
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
