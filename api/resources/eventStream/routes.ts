import { z } from 'zod';

import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { typesFilter } from '../events/routes.js';

export interface EventStreamHandlers {
  readonly stream: AuthenticatedHandler<typeof noBody, typeof streamEventsQuery>;
}

/** Before the route of one event: `stream` is no id. */
export function eventStreamRoutes(eventStream: EventStreamHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      tag: 'Events',
      summary: 'Follow events',
      description:
        'New events of the account and mode as they get into its list, as server-sent events: `id` is the id of the event, `event` is ' +
        '`event`, `data` the event as a GET shows it. One whose deliveries change within about a minute comes again. With the header ' +
        '`Last-Event-ID` it goes on from a minute before that event: take an id that you know as a newer state of the same event. ' +
        '`event: gap` says that some are missing (that id is not known, or there were more than 1,000 at once): the list has them. A ' +
        'comment comes every 15 seconds. The stream ends with the key or the session, and an account has at most 5 at once.',
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
