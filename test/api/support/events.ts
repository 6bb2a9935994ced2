import { eventListSchema, eventSchema } from '../../../api/resources/events/routes.js';
import { eventually } from '../../support/eventually.js';
import { read, type Client } from './client.js';

/** Posts an event, and returns the event in the response. */
export async function postEvent(client: Client, type = 'order.completed', data: unknown = {}) {
  return read(await client.postJson('/v1/events', { type, data }), eventSchema);
}

/** An event, once delivery has taken it up. From then on, the set of its deliveries does not change. */
export async function takenUpEvent(client: Client, id: string) {
  return eventually('all deliveries of the event', async () => {
    const event = read(await client.get(`/v1/events/${id}`), eventSchema);
    return event.deliveriesComplete ? event : null;
  });
}

/** The ids in a list with the given query, once it has at least this number. */
export async function eventIdsOf(client: Client, query = '', atLeast = 0): Promise<readonly string[]> {
  return eventually(`a list of ${atLeast}`, async () => {
    const { data } = read(await client.get(`/v1/events${query}`), eventListSchema);
    return data.length >= atLeast ? data.map(({ id }) => id) : null;
  });
}
