import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { startApi } from '../../api/main.js';
import { createLogger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { startStack, type RunningStack } from '../../stack/stack.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { createClient, refusalOf, type Client, type Response } from './support/client.js';
import { createWebhook } from './support/webhooks.js';

const event = { type: 'a', data: {} };
const webhook = { url: 'https://example.com', events: ['*'] };
const unknownEvent = '/v1/events/evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';

/** The errors of responses. An error without Retry-After is marked. */
function refusalsOf(responses: readonly Response[]): readonly string[] {
  return responses.map((response) => {
    const saysWhen = Number(response.headers['retry-after'] ?? 0) >= 1;
    return `${refusalOf(response)}${saysWhen ? '' : ' without Retry-After'}`;
  });
}

function refusedForNow(count: number): readonly string[] {
  return Array.from({ length: count }, () => '503 service_unavailable');
}

async function createKnown(client: Client) {
  const { id } = await createWebhook(client);
  const created = await client.postJson('/v1/events', event);
  const path = String(created.headers.location);
  await eventually('the event in its model', async () =>
    (await client.get('/v1/events')).text.includes(path.split('/').at(-1) ?? '') ? true : null,
  );
  return { event: path, webhook: `/v1/webhooks/${id}` };
}

function readsOf({ event: oneEvent, webhook: oneWebhook }: { event: string; webhook: string }) {
  return [
    '/v1/events',
    oneEvent,
    `${oneEvent}/attempts`,
    '/v1/webhooks',
    oneWebhook,
    `${oneWebhook}/attempts`,
    '/v1/replays',
    '/v1/api-keys',
    '/v1/account',
    '/v1/users',
    '/v1/audit-log',
    '/v1/stats/deliveries',
    '/healthz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/dashboard',
  ];
}

describe('the API while a server is unavailable', () => {
  let directory: string;
  let stack: RunningStack;
  let api: RunningRole;
  let client: Client;
  /** The paths of an event and a webhook that the models contain. */
  let known: { readonly event: string; readonly webhook: string };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-api-'));
    stack = await startStack({ directory, ephemeral: true });
    const { kafka, mongodb, redis } = stack.addresses;
    // The whole service creates the account. The tests use the API alone.
    const service = await startService({
      KAFKA_BROKERS: kafka.brokers.join(','),
      MONGODB_URL: mongodb.url,
      REDIS_URL: redis.url,
    });
    const { liveKey } = await service.createAccount();
    known = await createKnown(createClient(service.address, liveKey));
    await service.stop();
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    api = await startApi(service.config, logger, () => new Date());
    client = createClient(api.address, liveKey);
  });
  after(async () => {
    await api.stop();
    await stack.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** The readiness as an orchestrator reads it, with its default timeout of one second. */
  const readiness = async () => {
    const { status } = await fetch(`${api.address}/readyz`, { signal: AbortSignal.timeout(1000) });
    return status;
  };

  const becomesReady = () =>
    eventually('the API is ready', async () => ((await readiness()) === 200 ? true : null));

  const outagesOfMongo: readonly [
    what: string,
    hurt: () => Promise<void> | void,
    heal: () => Promise<void> | void,
  ][] = [
    ['stopped', () => stack.mongodb.kill(), () => stack.mongodb.restart()],
    ['suspended', () => stack.mongodb.pause(), () => stack.mongodb.resume()],
  ];
  for (const [what, hurt, heal] of outagesOfMongo) {
    it(`answers 503, never 401, 404 or 500, while MongoDB is ${what}, and recovers with it`, async () => {
      const keyed = { 'idempotency-key': randomUUID() };
      await hurt();
      const responses = await Promise.all([
        client.get('/v1/webhooks'),
        client.get('/v1/events'),
        client.get(unknownEvent),
        client.postJson('/v1/webhooks', webhook),
        client.postJson('/v1/events', event, keyed),
        client.delete('/v1/webhooks/wh_01HZZZZZZZZZZZZZZZZZZZZZZZ'),
      ]);
      const ready = await readiness();
      await heal();
      await becomesReady();
      expect([refusalsOf(responses), ready, (await client.get(unknownEvent)).status]).to.deep.equal([
        refusedForNow(6),
        503,
        404,
      ]);
    });
  }

  const becomesWritable = () =>
    eventually('an event is accepted', async () =>
      (await client.postJson('/v1/events', event)).status === 201 ? true : null,
    );

  const outagesOfKafka: readonly [
    what: string,
    hurt: () => Promise<void> | void,
    heal: () => Promise<void> | void,
  ][] = [
    ['stopped', () => stack.kafka.kill(), () => stack.kafka.restart()],
    ['suspended', () => stack.kafka.pause(), () => stack.kafka.resume()],
  ];
  for (const [what, hurt, heal] of outagesOfKafka) {
    it(`answers 503 to requests that need the log while Kafka is ${what}, and recovers with it`, async () => {
      const keyed = { 'idempotency-key': randomUUID() };
      await hurt();
      const responses = await Promise.all([
        client.get(unknownEvent),
        client.postJson('/v1/webhooks', webhook),
        client.postJson('/v1/events', event),
        client.postJson('/v1/events', event, keyed),
      ]);
      const list = await client.get('/v1/events');
      const ready = await readiness();
      await heal();
      await becomesWritable();
      const created = [
        await client.postJson('/v1/events', event),
        // The rejected request has freed its key, so a repeat is executed at once.
        await client.postJson('/v1/events', event, keyed),
        await client.postJson('/v1/events', { ...event, type: 'b' }, keyed),
      ];
      expect([refusalsOf(responses), list.status, ready, created.map(({ status }) => status)]).to.deep.equal([
        refusedForNow(4),
        200,
        200,
        [201, 201, 422],
      ]);
    });

    it(`is ready, answers reads, and answers writes with 503, while Kafka is ${what}`, async () => {
      await hurt();
      const reads = await Promise.all(
        readsOf(known).map(async (path) => [path, (await client.get(path)).status]),
      );
      const ready = await readiness();
      const writes = await Promise.all([
        client.patchJson(known.webhook, { status: 'disabled' }),
        client.postJson(`${known.webhook}/rotate-secret`, {}),
        client.postJson(`${known.webhook}/test`, {}),
        client.delete(known.webhook),
        client.postJson(`${known.event}/resend`, {}),
        client.postJson('/v1/api-keys', { name: 'another' }),
      ]);
      await heal();
      await becomesWritable();
      expect(reads.filter(([, status]) => status !== 200)).to.deep.equal([]);
      expect(ready).to.equal(200);
      expect(refusalsOf(writes)).to.deep.equal(refusedForNow(writes.length));
    });
  }
});
