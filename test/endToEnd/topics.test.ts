import { expect } from 'chai';
import { Kafka as CloudEventsBinding, type CloudEvent } from 'cloudevents';
import type { KafkaMessage } from 'kafkajs';

import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { createClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { sharedService } from '../support/service.js';

/** A subscriber is a plain Kafka client with the CloudEvents SDK, without code of this project. */
describe('the topics for a subscriber', () => {
  let receiver: Receiver;
  let eventId: string;
  let webhookId: string;
  let accountId: string;
  let eventRecord: CloudEvent<unknown>;
  let webhookRecord: CloudEvent<unknown>;
  let deliveryRecord: CloudEvent<unknown>;

  before(async () => {
    const service = await sharedService();
    const { prefix } = service.config.topics;
    const account = await service.createAccount();
    const client = createClient(service.address, account.liveKey);
    receiver = await startReceiver();
    const webhook = await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    const posted = await client.post('/v1/events', { type: 'order.completed', data: { amount: 4200 } });
    eventId = String(posted.body['id']);
    webhookId = String(webhook.body['id']);
    accountId = account.id;
    const records = await readCloudEvents(service.config.kafka.brokers, [
      [`${prefix}events`, eventId],
      [`${prefix}webhooks`, webhookId],
      [`${prefix}deliveries`, eventId],
    ]);
    [eventRecord, webhookRecord, deliveryRecord] = records as [
      CloudEvent<unknown>,
      CloudEvent<unknown>,
      CloudEvent<unknown>,
    ];
  });

  it('contain an event with its id, type and time, and only its data as the value', () => {
    expect([eventRecord.id, eventRecord.type, eventRecord.data]).to.deep.equal([
      eventId,
      'order.completed',
      { amount: 4200 },
    ]);
  });

  it('contain the account as the source, and mode and key as extensions', () => {
    expect([eventRecord.source, eventRecord['mode'], eventRecord['partitionkey']]).to.deep.equal([
      `/accounts/${accountId}`,
      'live',
      eventId,
    ]);
  });

  it('contain the creation of a webhook with its sealed secret', () => {
    const { secret, ...facts } = webhookRecord.data as Record<string, unknown>;
    expect([webhookRecord.type, Object.keys(secret as object), facts['url']]).to.deep.equal([
      'postrider.webhook.created',
      ['key', 'sealed'],
      receiver.url,
    ]);
  });

  it('contain each attempt with its outcome', () => {
    expect([deliveryRecord.type, deliveryRecord.data]).to.deep.include.members([
      'postrider.delivery.attempted',
    ]);
    expect(deliveryRecord.data).to.deep.include({
      webhookId,
      cycle: 0,
      epoch: 0,
      replayId: null,
      number: 1,
      trigger: 'first',
      outcome: 'succeeded',
      final: true,
      statusCode: 200,
      responseBody: Buffer.from('ok').toString('base64'),
    });
  });
});

/** The first record of each topic with the key, decoded by the SDK, which expects headers and keys as text. */
async function readCloudEvents(
  brokers: readonly string[],
  wanted: readonly (readonly [topic: string, key: string])[],
): Promise<readonly CloudEvent<unknown>[]> {
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(
    { brokers: [...brokers], ssl: null, sasl: null },
    { clientId: 'subscriber', logger },
  );
  const consumer = kafka.consumer({ groupId: `subscriber-${Math.random()}`, maxWaitTimeInMs: 100 });
  const found = new Map<string, CloudEvent<unknown>>();
  await consumer.connect();
  await consumer.subscribe({ topics: wanted.map(([topic]) => topic), fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, message }) => {
      const event = toCloudEvent(message);
      found.set(`${topic}/${String(event['partitionkey'])}`, event);
      return Promise.resolve();
    },
  });
  try {
    return await eventually('all wanted records', () => {
      const events = wanted.flatMap(([topic, key]) => found.get(`${topic}/${key}`) ?? []);
      return events.length === wanted.length ? events : null;
    });
  } finally {
    await consumer.disconnect();
  }
}

function toCloudEvent({ key, value, headers = {} }: KafkaMessage): CloudEvent<unknown> {
  const text = Object.fromEntries(Object.entries(headers).map(([name, bytes]) => [name, String(bytes)]));
  const message = { headers: text, key: String(key), value: String(value), body: String(value) };
  const [event] = [CloudEventsBinding.toEvent<unknown>(message)].flat();
  return event as CloudEvent<unknown>;
}
