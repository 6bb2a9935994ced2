import { expect } from 'chai';

import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

const eventsBefore = 50;
const eventsMeanwhile = 50;
const clients = 10;
/** Six models are rebuilt, in addition to the other load of the machine. */
const modelsTimeoutMs = 60_000;

/** The log restores all data in MongoDB. Until then no response and no decision may follow from missing data. */
describe('the loss of MongoDB’s data while all roles are running', () => {
  let service: TestService;
  let receiver: Receiver;
  let client: Client;
  let webhookId: string;
  let answersBefore: Map<string, string>;
  let statuses: Set<number>;
  let acknowledged: Set<string>;

  before(async () => {
    service = await startService();
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    receiver = await startReceiver();
    webhookId = String((await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] })).body['id']);
    acknowledged = new Set();
    statuses = new Set();
    const posted = Array.from({ length: eventsBefore }, (_, index) =>
      client.post('/v1/events', { type: 'a.b', data: { index } }),
    );
    (await Promise.all(posted)).forEach(({ body }) => acknowledged.add(String(body['id'])));
    await receiver.received(eventsBefore);
    answersBefore = await answersOf(client, acknowledged);
    await service.withStores(({ mongo }) => mongo.database.dropDatabase());
    await postMeanwhile();
  });

  const postMeanwhile = async () => {
    let posted = 0;
    const post = async () => {
      const answer = await client.post('/v1/events', { type: 'a.b', data: { posted } });
      statuses.add(answer.status);
      statuses.add((await client.get(`/v1/events/${[...acknowledged][posted % eventsBefore] ?? ''}`)).status);
      statuses.add((await client.get(`/v1/webhooks/${webhookId}`)).status);
      if (answer.status === 201) {
        acknowledged.add(String(answer.body['id']));
        posted += 1;
      }
    };
    await eventually(
      'new events to be taken again',
      async () => {
        await Promise.all(Array.from({ length: clients }, post));
        return posted >= eventsMeanwhile ? true : null;
      },
      modelsTimeoutMs,
    );
  };

  it('leads to 503 meanwhile, never to 401 for a valid key nor to 404 for an existing resource', () => {
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).to.deep.equal([]);
  });

  it('rejects some requests, which shows that the test ran without read models', () => {
    expect(statuses.has(503)).to.equal(true);
  });

  it('does not prevent the delivery of events that were acknowledged meanwhile', async () => {
    const delivered = await eventually(
      'all deliveries',
      () => {
        const ids = new Set(receiver.requests.map(({ headers }) => String(headers['webhook-id'])));
        return [...acknowledged].every((id) => ids.has(id)) ? ids : null;
      },
      modelsTimeoutMs,
    );
    expect(delivered.size).to.equal(acknowledged.size);
  });

  it('leads to the same responses afterwards, byte for byte', async () => {
    const answersAfter = await answersOf(client, answersBefore.keys());
    expect([...answersAfter]).to.deep.equal([...answersBefore]);
  });
});

async function answersOf(client: Client, ids: Iterable<string>): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const id of ids) {
    const text = await eventually(
      `the outcome of ${id}`,
      async () => {
        const answer = await client.get(`/v1/events/${id}`);
        const isSettled = ['"status":"delivered"', '"deliveriesComplete":true'].every((text) =>
          answer.text.includes(text),
        );
        return isSettled ? answer.text : null;
      },
      modelsTimeoutMs,
    );
    answers.set(id, text);
  }
  return answers;
}
