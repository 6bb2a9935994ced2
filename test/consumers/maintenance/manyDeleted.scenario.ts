import { expect } from 'chai';
import { MongoClient } from 'mongodb';

import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import { deletedWebhooks } from '../../support/storedModels.js';

const deleted = 50_000;
const barMs = 2000;
const waitMs = 60_000;

describe('a webhook that is deleted next to 50,000 others', () => {
  let service: TestService;
  let client: Client;
  let url: string;
  let accountId: string;
  let withoutOthersMs: number;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1h,1h' });
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    const receiver = await startReceiver((_request, response) => {
      response.writeHead(500).end();
    });
    ({ url } = receiver);
    accountId = account.id;
    withoutOthersMs = await cancelationMs();
    await storeDeletedWebhooks();
    // The role finds all deleted webhooks when it starts.
    await service.stopRole('delivery');
    await service.startRole('delivery');
    // The effect of a deletion shows that the role has all its partitions.
    await cancelationMs();
  });

  const storeDeletedWebhooks = async () => {
    const mongo = await MongoClient.connect(service.config.mongodb.url);
    try {
      const found = await mongo
        .db()
        .listCollections({ name: /^webhooks\.v/ }, { nameOnly: true })
        .toArray();
      const documents = [...deletedWebhooks(accountId, deleted)];
      await Promise.all(
        found.map(({ name }) => mongo.db().collection<{ _id: string }>(name).insertMany(documents)),
      );
    } finally {
      await mongo.close();
    }
  };

  const postEvent = async () =>
    String((await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id']);

  const deliveryWith = (eventId: string, status: string) =>
    eventually(
      `a delivery that is ${status}`,
      async () => {
        const { deliveries } = (await client.get(`/v1/events/${eventId}`)).body;
        const delivery = (deliveries as readonly { status: string }[])[0];
        return delivery?.status === status ? true : null;
      },
      waitMs,
    );

  /** Sequential, because concurrent requests for all of them would leave no CPU time for the service. */
  const allDeliveriesWith = async (eventIds: readonly string[], status: string) => {
    for (const id of eventIds) {
      await deliveryWith(id, status);
    }
  };

  /** The time from the response to a webhook's deletion until all its retries are canceled. */
  const cancelationMs = async (): Promise<number> => {
    const webhookId = String((await client.post('/v1/webhooks', { url, events: ['*'] })).body['id']);
    const eventIds = await Promise.all(Array.from({ length: 20 }, postEvent));
    await allDeliveriesWith(eventIds, 'retrying');
    await client.delete(`/v1/webhooks/${webhookId}`);
    const deletedAt = performance.now();
    await allDeliveriesWith(eventIds, 'canceled');
    return performance.now() - deletedAt;
  };

  it('has its deliveries canceled within 2 s of the time without the others', async () => {
    expect(await cancelationMs()).to.be.below(barMs + withoutOthersMs);
  });
});
