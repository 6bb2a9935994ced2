import type { ApiClient, Query } from '../api/apiClient.js';
import { readEventPage, type EventPage, type ReceivedEvent } from '../api/events.js';

/** A part of the list of events, newest event first. */
interface Stretch {
  /** The position after which the stretch begins, or null for the beginning of the list. */
  readonly cursor: string | null;
  /** Its oldest event. */
  readonly oldest: Pick<ReceivedEvent, 'id' | 'created'>;
}

/**
 * The events since a time in their order, oldest first. The list has the newest event first, so it is read to its end
 * without data, and then page by page backwards. Only one page of events is in memory.
 * @param query the filters of the list
 */
export async function* eventsSince(
  client: Pick<ApiClient, 'send'>,
  query: Query,
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent, void> {
  const pageAfter = async (cursor: string | null, further: Query = []): Promise<EventPage> => {
    const position: Query = cursor === null ? [] : [['startingAfter', cursor]];
    const bounds: Query = [
      ['createdGte', since.toISOString()],
      ['limit', '100'],
    ];
    const path = '/v1/events';
    return readEventPage(
      await client.send({ path, query: [...query, ...bounds, ...position, ...further] }, signal),
    );
  };

  const stretches: Stretch[] = [];
  let cursor: string | null = null;
  do {
    const { events, next } = await pageAfter(cursor, [['fields', 'summary']]);
    const oldest = events.at(-1);
    if (oldest !== undefined) {
      stretches.push({ cursor, oldest: { id: oldest.id, created: oldest.created } });
    }
    cursor = next;
  } while (cursor !== null);

  for (const stretch of stretches.reverse()) {
    yield* (await eventsIn(stretch, pageAfter)).reverse();
  }
}

/** All events of a stretch with their data. A page with data may end earlier than one without. */
async function eventsIn(
  { cursor, oldest }: Stretch,
  pageAfter: (cursor: string | null) => Promise<EventPage>,
): Promise<ReceivedEvent[]> {
  const found: ReceivedEvent[] = [];
  let at = cursor;
  for (;;) {
    const { events, next } = await pageAfter(at);
    for (const event of events) {
      if (event.created < oldest.created) {
        return found;
      }
      found.push(event);
      if (event.id === oldest.id) {
        return found;
      }
    }
    if (next === null) {
      return found;
    }
    at = next;
  }
}
