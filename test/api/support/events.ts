import { eventListSchema, eventSchema } from '../../../api/resources/events/routes.js';
import { eventually } from '../../support/eventually.js';
import { read, type Client } from './client.js';

/** Posts an event and gives it as it was answered. */
export async function postEvent(client: Client, type = 'order.completed', data: unknown = {}) {
  return read(await client.postJson('/v1/events', { type, data }), eventSchema);
}

/** The ids of a list, read by the given query once it holds so many. */
export async function eventIdsOf(client: Client, query = '', atLeast = 0): Promise<readonly string[]> {
  return eventually(`a list of ${atLeast}`, async () => {
    const { data } = read(await client.get(`/v1/events${query}`), eventListSchema);
    return data.length >= atLeast ? data.map(({ id }) => id) : null;
  });
}
