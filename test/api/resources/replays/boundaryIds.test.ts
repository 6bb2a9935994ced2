import { expect } from 'chai';

import { placementOf } from '../../../../shared/log/topics/partition.js';
import { createClient, type Client } from '../../../support/client.js';
import { eventually } from '../../../support/eventually.js';
import { readTopic } from '../../../support/readTopic.js';
import { startService, type TestService } from '../../../support/service.js';

describe('the offsets in the records of webhooks and replays', () => {
  let service: TestService;
  let client: Client;

  before(async () => {
    service = await startService({});
    client = createClient(service.address, (await service.createAccount()).liveKey);
  });

  const post = async (path: string, body: object) => (await client.post(path, body)).body;

  const firstValue = (topic: 'webhooks' | 'replays') =>
    service.withStores(async ({ kafka }) => {
      const [record] = await readTopic({ kafka }, `${service.config.topics.prefix}${topic}`, 1);
      return JSON.parse(String(record?.value)) as Record<string, unknown>;
    });

  const idsWith = (eventIds: readonly string[]) => {
    const { partitions } = service.config.topics;
    const ids: (string | null)[] = Array.from({ length: partitions }, () => null);
    eventIds.forEach((id) => {
      ids[placementOf({ id }, partitions)] = id;
    });
    return ids;
  };

  it('have the ids of the last events below them next to them', async () => {
    const events = [String((await post('/v1/events', { type: 'a.b', data: {} }))['id'])];
    // No event matches the webhook, so nothing is sent.
    const webhook = await post('/v1/webhooks', { url: 'https://example.com/', events: ['c.d'] });
    const created = await firstValue('webhooks');
    const before = idsWith(events);
    events.push(String((await post('/v1/events', { type: 'a.b', data: {} }))['id']));
    // A replay of all events ends at the event that delivery has taken up last.
    await eventually('delivery to take up the events', async () => {
      const found = await Promise.all(events.map((id) => client.get(`/v1/events/${id}`)));
      return found.every(({ body }) => body['deliveriesComplete'] === true) ? true : null;
    });
    await post('/v1/replays', {
      webhookId: webhook['id'],
      since: '2020-01-01T00:00:00.000Z',
      only: 'all',
    });
    const requested = await firstValue('replays');

    expect([created['eventsFromIds'], requested['eventsBelowIds']]).to.deep.equal([before, idsWith(events)]);
  });
});
