import { randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import { eventSchema } from '../../../api/resources/events/routes.js';
import { webhookWithSecretSchema } from '../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../support/eventually.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { createClient, errorOf, read, refusalOf, type Client, type Response } from '../support/client.js';
import { openLogReader, type LogReader } from '../support/records.js';
import { createWebhook } from '../support/webhooks.js';

const event = { type: 'order.completed', data: { amount: 1.0 } };
const webhook = { url: 'https://example.com/hook', events: ['never'] };

const headersOf = (key: string) => ({ 'idempotency-key': key });

/** The parts of a response that a repeated request also gets. */
function comparable({ status, headers, text }: Response) {
  return { status, text, location: headers.location, type: headers['content-type'] };
}

describe('an idempotency key', () => {
  let account: TestAccount;
  let elsewhere: Client;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    const another = await startAnotherApi(account.service);
    elsewhere = createClient(another.address, account.liveKey);
    log = await openLogReader(account.service, ['events', 'webhooks', 'accounts']);
  });

  /** Requests alternate between two processes. */
  const clientOf = (number: number) => (number % 2 === 0 ? account.live : elsewhere);

  const postEvent = (key: string, body: unknown = event, client = account.live) =>
    client.postJson('/v1/events', body, headersOf(key));

  /** Repeats the request until the first one is no longer in flight. */
  const untilAnswered = async (send: () => Promise<Response>): Promise<Response> =>
    eventually('the answer', async () => {
      const response = await send();
      return response.status === 409 ? null : response;
    });

  it('repeats the first response byte for byte, and marks it as replayed', async () => {
    const key = randomUUID();
    const [first, second] = [await postEvent(key), await postEvent(key)];
    expect([
      comparable(second),
      first.headers['idempotent-replayed'],
      second.headers['idempotent-replayed'],
    ]).to.deep.equal([comparable(first), undefined, 'true']);
  });

  it('gives each response its own request id and rate limit headers', async () => {
    const key = randomUUID();
    const [first, second] = [await postEvent(key), await postEvent(key)];
    expect([
      first.headers['request-id'] === second.headers['request-id'],
      typeof second.headers['ratelimit'],
    ]).to.deep.equal([false, 'string']);
  });

  it('appends one event for fifty concurrent requests with one key on two processes', async () => {
    const [key, marker] = [randomUUID(), randomUUID()];
    const body = { ...event, data: { marker } };
    const post = (number: number) => postEvent(key, body, clientOf(number));
    const atOnce = await Promise.all(Array.from({ length: 50 }, (_, number) => post(number)));
    const settled = await Promise.all([0, 1].map((number) => untilAnswered(() => post(number))));
    const statuses = new Set(atOnce.map(({ status }) => status));
    const refused = new Set(atOnce.filter(({ status }) => status === 409).map(refusalOf));
    const ids = new Set(
      [...atOnce, ...settled]
        .filter(({ status }) => status === 201)
        .map((response) => read(response, eventSchema).id),
    );
    const records = await log.recordsWith('events', marker);
    expect([
      [...statuses].filter((status) => status !== 201 && status !== 409),
      [...refused].filter((apiError) => apiError !== '409 idempotency_key_in_use'),
      records.map(({ id }) => id),
    ]).to.deep.equal([[], [], [...ids]]);
  });

  it('creates one webhook for ten concurrent requests with one key, and shows its secret to each', async () => {
    const key = randomUUID();
    const create = (number: number) =>
      untilAnswered(() => clientOf(number).postJson('/v1/webhooks', webhook, headersOf(key)));
    const responses = await Promise.all(Array.from({ length: 10 }, (_, number) => create(number)));
    const ids = responses.map((response) => read(response, webhookWithSecretSchema).id);
    const answers = new Set(responses.map(({ text }) => text));
    expect([answers.size, (await log.recordsOf('webhooks', ids[0] ?? '')).length]).to.deep.equal([1, 1]);
  });

  it('rotates a secret once, and shows the same secret again', async () => {
    const { id } = await createWebhook(account.live);
    const key = headersOf(randomUUID());
    const path = `/v1/webhooks/${id}/rotate-secret`;
    const [first, second] = [
      await account.live.postJson(path, {}, key),
      await account.live.postJson(path, {}, key),
    ];
    expect([comparable(second), (await log.recordsOf('webhooks', id)).length]).to.deep.equal([
      comparable(first),
      2,
    ]);
  });

  it('creates one API key, and shows its secret again', async () => {
    const key = headersOf(randomUUID());
    const create = () => account.live.postJson('/v1/api-keys', { name: 'Once' }, key);
    const [first, second] = [await create(), await create()];
    const { secret } = z.looseObject({ secret: z.string() }).parse(JSON.parse(second.text));
    const works = await createClient(account.service.address, secret).get('/v1/events');
    expect([comparable(second), works.status]).to.deep.equal([comparable(first), 200]);
  });

  it('repeats an error that depends on stored state, with the request id of the repeat', async () => {
    const key = headersOf(randomUUID());
    const path = '/v1/webhooks/wh_01HZZZZZZZZZZZZZZZZZZZZZZZ/rotate-secret';
    const [first, second] = [
      await account.live.postJson(path, {}, key),
      await account.live.postJson(path, {}, key),
    ];
    expect([
      refusalOf(first),
      refusalOf(second),
      second.headers['idempotent-replayed'],
      errorOf(second).requestId,
    ]).to.deep.equal(['404 resource_missing', '404 resource_missing', 'true', second.headers['request-id']]);
  });

  const mistakes: readonly [what: string, path: string, body: unknown][] = [
    ['a body that the schema rejects', '/v1/events', { type: 'a..b', data: {} }],
    ['an invalid url', '/v1/webhooks', { ...webhook, url: 'http:' }],
  ];
  for (const [what, path, body] of mistakes) {
    it(`leaves the key free for a corrected request after ${what}`, async () => {
      const key = headersOf(randomUUID());
      const refused = await account.live.postJson(path, body, key);
      const corrected = await account.live.postJson(path, path === '/v1/events' ? event : webhook, key);
      expect([refused.status, corrected.status]).to.deep.equal([400, 201]);
    });
  }

  it('rejects another body with the same key, and appends nothing', async () => {
    const [key, marker] = [randomUUID(), randomUUID()];
    await postEvent(key);
    const refused = await postEvent(key, { ...event, data: { marker } });
    expect([refusalOf(refused), (await log.recordsWith('events', marker)).length]).to.deep.equal([
      '422 idempotency_key_reused',
      0,
    ]);
  });

  it('compares bodies byte by byte', async () => {
    const key = randomUUID();
    await account.live.post('/v1/events', '{"type":"a","data":{}}', {
      'content-type': 'application/json',
      ...headersOf(key),
    });
    const respaced = await account.live.post('/v1/events', '{"type":"a", "data":{}}', {
      'content-type': 'application/json',
      ...headersOf(key),
    });
    expect(refusalOf(respaced)).to.equal('422 idempotency_key_reused');
  });

  it('separates keys by account, mode and path', async () => {
    const key = randomUUID();
    const other = await openAccount();
    const [one, two] = [await createWebhook(account.live), await createWebhook(account.live)];
    const rotate = (id: string) =>
      account.live.postJson(`/v1/webhooks/${id}/rotate-secret`, {}, headersOf(key));
    const responses = [
      await postEvent(key),
      await postEvent(key, event, other.live),
      await postEvent(key, event, account.test),
    ];
    const rotated = [await rotate(one.id), await rotate(two.id)];
    const ids = new Set(responses.map((response) => read(response, eventSchema).id));
    const rotatedIds = rotated.map((response) => read(response, webhookWithSecretSchema).id);
    expect([ids.size, rotatedIds]).to.deep.equal([3, [one.id, two.id]]);
  });

  it('identifies a path by its route and id, however it is encoded', async () => {
    const { id } = await createWebhook(account.live);
    const key = headersOf(randomUUID());
    const plain = await account.live.postJson(`/v1/webhooks/${id}/rotate-secret`, {}, key);
    const written = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
    const encoded = await account.live.postJson(`/v1/webhooks/${written}/rotate-secret`, {}, key);
    expect(comparable(encoded)).to.deep.equal(comparable(plain));
  });

  for (const key of ['', '""', '"a', 'a'.repeat(256), 'é']) {
    it(`rejects the key ${key.slice(0, 5) || 'of no characters'}`, async () => {
      const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
      expect(refusalOf(await account.live.postJson('/v1/events', event, headers))).to.equal(
        '400 idempotency_key_invalid',
      );
    });
  }

  it('ignores the key of a GET', async () => {
    const { id } = await createWebhook(account.live);
    const response = await account.live.get(`/v1/webhooks/${id}`);
    expect([response.status, response.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
  });
});
