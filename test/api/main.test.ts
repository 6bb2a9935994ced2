import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { startStack, type RunningStack } from '../../stack/stack.js';
import { eventually } from '../support/eventually.js';
import { startService, type TestService } from '../support/service.js';
import { openAccount, type TestAccount } from './support/accounts.js';
import { call, refusalOf, type Response } from './support/client.js';

const event = { type: 'a', data: {} };
const webhook = { url: 'https://example.com', events: ['*'] };
const unknownEvent = '/v1/events/evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';

/** Whether a request was refused for now, and with when to try again. */
function isRefusedForNow(response: Response): boolean {
  return (
    refusalOf(response) === '503 service_unavailable' && Number(response.headers['retry-after'] ?? 0) >= 1
  );
}

describe('api/main, when a server is away', function () {
  this.timeout(120_000);
  let directory: string;
  let stack: RunningStack;
  let service: TestService;
  let account: TestAccount;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-api-'));
    stack = await startStack({ directory, ephemeral: true });
    const { kafka, mongodb, redis } = stack.addresses;
    service = await startService({
      KAFKA_BROKERS: kafka.brokers.join(','),
      MONGODB_URL: mongodb.url,
      REDIS_URL: redis.url,
      LOG_LEVEL: 'silent',
    });
    account = await openAccount(service);
  });
  after(async () => {
    await service.stop();
    await stack.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const requests = (): Promise<Response>[] => [
    account.live.get('/v1/webhooks'),
    account.live.get('/v1/events'),
    account.live.get(unknownEvent),
    account.live.postJson('/v1/webhooks', webhook),
    account.live.delete('/v1/webhooks/wh_01HZZZZZZZZZZZZZZZZZZZZZZZ'),
  ];

  const becomesReady = () =>
    eventually(
      'the service is ready',
      async () => ((await call(service.address, '/readyz')).status === 200 ? true : null),
      60_000,
    );

  for (const [what, hurt, heal] of [
    ['stopped', () => stack.mongodb.kill(), () => stack.mongodb.restart()],
    ['standing still', () => stack.mongodb.pause(), () => stack.mongodb.resume()],
  ] as const) {
    it(`answers 503 while MongoDB is ${what}, never 401, 404 or 500, and as before once it is back`, async () => {
      await hurt();
      const responses = await Promise.all(requests());
      const readiness = await call(service.address, '/readyz');
      await heal();
      await becomesReady();
      expect([
        responses.map(isRefusedForNow),
        readiness.status,
        (await account.live.get(unknownEvent)).status,
      ]).to.deep.equal([responses.map(() => true), 503, 404]);
    });
  }

  for (const [what, hurt, heal] of [
    ['standing still', () => stack.kafka.pause(), () => stack.kafka.resume()],
    ['stopped', () => stack.kafka.kill(), () => stack.kafka.restart()],
  ] as const) {
    it(`answers 503 to what needs the log while Kafka is ${what}, and as before once it is back`, async () => {
      await hurt();
      const responses = await Promise.all([
        account.live.get(unknownEvent),
        account.live.postJson('/v1/webhooks', webhook),
        account.live.postJson('/v1/events', event),
      ]);
      const list = await account.live.get('/v1/events');
      const readiness = await call(service.address, '/readyz');
      await heal();
      await becomesReady();
      expect([responses.map(isRefusedForNow), list.status, readiness.status]).to.deep.equal([
        [true, true, true],
        200,
        503,
      ]);
    });
  }

  it('takes events again', async () => {
    const created = await eventually('an event is taken', async () => {
      const response = await account.live.postJson('/v1/events', event);
      return response.status === 201 ? response : null;
    });
    const location = String(created.headers.location);
    const found = await eventually('it is found', async () => {
      const response = await account.live.get(location);
      return response.status === 503 ? null : response;
    });
    expect(found.text).to.equal(created.text);
  });
});
