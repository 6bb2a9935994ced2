import { expect } from 'chai';
import type { Kafka } from 'kafkajs';

import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { readTopic } from '../../support/readTopic.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import { startCrashingDelivery, type Crash } from '../crashingDelivery.js';

/** The appends of an event whose delivery fails three times. */
const appends = ['outcome', 'webhooks', 'retry', 'outcome', 'retry', 'outcome'];
const crashes: readonly Crash[] = [...appends.keys()].flatMap((index) => [
  { append: index + 1, side: 'before' },
  { append: index + 1, side: 'after' },
]);
const attempts = 3;

interface ForeignEvent {
  readonly id: string;
  readonly partition: number;
  readonly crash: Crash;
}

describe('an event outside its placement', () => {
  let service: TestService;
  let receiver: Receiver;
  let client: Client;
  let events: readonly ForeignEvent[];
  let webhookId: string;
  let afterCrashes: readonly (readonly [requests: number, expected: number])[];

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s,1s', POSTRIDER_PARTITIONS: '13' });
    await service.stopRole('delivery');
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    receiver = await startReceiver((_request, response) => {
      response.writeHead(500).end();
    });
    const webhook = await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    webhookId = String(webhook.body['id']);
    events = await appendForeign(account.id);
    const crashOf = new Map(events.map(({ id, crash }) => [id, crash]));
    const crashing = await startCrashingDelivery(service.config, crashOf);
    await eventually('all crashes', () => (crashing.crashed() === crashes.length ? true : null));
    await crashing.stop();
    await service.startRole('delivery');
    await Promise.all(events.map(({ id }) => failedAfter(id, attempts)));
    // Only an attempt whose outcome is not in the log is repeated, because no process can know of it.
    const expected = (id: string) => (crashing.hasLostOutcome(id) ? attempts + 1 : attempts);
    afterCrashes = events.map(({ id }) => [requestsOf(id), expected(id)]);
  });

  /** Each event has its own partition, because a partition whose appends hang starts no other attempt. */
  const appendForeign = (accountId: string) =>
    service.withStores(({ log }) => {
      const { partitions } = service.config.topics;
      const identifiers = createIdentifiers(createRandom());
      return Promise.all(
        crashes.map(async (crash, partition) => {
          const created = new Date();
          let id = identifiers.create('evt', created);
          while (placementOf({ id }, partitions) === partition) {
            id = identifiers.create('evt', created);
          }
          const content = {
            type: 'order.completed',
            created,
            data: Buffer.from('{}'),
            onlyWebhookId: null,
            tenantId: null,
          };
          await log.append(encodeEvent({ id, accountId, mode: 'live', ...content }, partition));
          return { id, partition, crash };
        }),
      );
    });

  const requestsOf = (id: string) =>
    receiver.requests.filter(({ headers }) => headers['webhook-id'] === id).length;

  /** Waits until the delivery has failed after this number of recorded attempts. */
  const failedAfter = (id: string, count: number) =>
    eventually(`${count} failed attempts of ${id}`, async () => {
      const { body } = await client.get(`/v1/events/${id}`);
      const [delivery] = (body['deliveries'] ?? []) as readonly Record<string, unknown>[];
      return delivery?.['status'] === 'failed' && delivery['attemptCount'] === count ? count : null;
    });

  /** The partitions of the records of a topic by event. */
  const partitionsIn = (topic: string) =>
    service.withStores(async ({ kafka }) => {
      const found = new Map<string, Set<number>>();
      const name = `${service.config.topics.prefix}${topic}`;
      for (const { key, partition } of await readTopic({ kafka }, name, await recordsIn(kafka, name))) {
        found.set(String(key), (found.get(String(key)) ?? new Set()).add(partition));
      }
      return events.map(({ id }) => [...(found.get(id) ?? [])]);
    });

  it('is attempted as often as the schedule requires, wherever the crash is', () => {
    for (const [index, { append, side }] of crashes.entries()) {
      const [requests, expected] = afterCrashes[index] ?? [];
      expect(requests, `${side} append ${append}`).to.equal(expected);
    }
  });

  it('has its outcomes and its retry records in its partition', async () => {
    const own = events.map(({ partition }) => [partition]);
    expect(await partitionsIn('deliveries')).to.deep.equal(own);
    expect(await partitionsIn('deliveries.retry.1s')).to.deep.equal(own);
  });

  it('is delivered again by a resend and by a replay, with all records in its partition', async () => {
    const [resent] = events;
    const { status } = await client.post(`/v1/events/${resent?.id ?? ''}/resend`, {});
    await failedAfter(resent?.id ?? '', 2 * attempts);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replay = await client.post('/v1/replays', { webhookId, since, only: 'failed' });
    await Promise.all(events.map(({ id }, index) => failedAfter(id, (index === 0 ? 3 : 2) * attempts)));

    expect([status, replay.status]).to.deep.equal([202, 202]);
    expect(await partitionsIn('deliveries')).to.deep.equal(events.map(({ partition }) => [partition]));
  });
});

/** The number of records in a topic. */
async function recordsIn(kafka: Kafka, topic: string): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.reduce((sum, { offset }) => sum + Number(offset), 0);
  } finally {
    await admin.disconnect();
  }
}
