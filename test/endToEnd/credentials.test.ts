import { expect } from 'chai';
import { BSON } from 'mongodb';

import { startApi } from '../../api/main.js';
import { attemptListSchema } from '../../api/resources/attempts/routes.js';
import { webhookSchema } from '../../api/resources/webhooks/schemas.js';
import { startDelivery } from '../../consumers/main.js';
import { startProjections } from '../../projections/main.js';
import { createLogger } from '../../shared/core/logger.js';
import { tierTopics } from '../../shared/log/topics/names.js';
import { createClient, read, refusalOf, type Client, type Response } from '../api/support/client.js';
import { postEvent } from '../api/support/events.js';
import { createWebhook } from '../api/support/webhooks.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { readTopic } from '../support/readTopic.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

/** Texts that nothing but the receiver may ever see. They do not occur in each other. */
const planted = {
  first: 'planted-one-5f2b8c',
  token: 'planted two 9d"41\\',
  replaced: 'planted-three-77aa',
  refused: 'planted-four-c0ffee',
  key: 'planted-secret-of-another-system',
  username: 'planted-five-user',
  password: 'planted six "pass"\\word',
  bearer: 'planted-seven|token',
  clientSecret: 'planted-eight-client',
  issued: 'planted-nine-issued',
};
const secret = Buffer.from(planted.key).toString('base64');

/** The forms in which a place could contain a text: itself, within JSON, and in Base64 at each of its three offsets. */
function formsOf(text: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(`${'.'.repeat(offset)}${text}`)
      .toString('base64')
      .replace(/=+$/u, '')
      .slice(offset === 0 ? 0 : 4, -3),
  );
  return [text, JSON.stringify(text).slice(1, -1), ...base64];
}

const allForms = [...Object.values(planted).flatMap(formsOf), secret];

describe('the credentials of a webhook', () => {
  let service: TestService;
  let live: Client;
  /** The client of requests whose responses show a secret once. */
  let unkept: Client;
  let receiver: Receiver;
  let status = 500;
  const lines: string[] = [];
  const responses: string[] = [];

  /** The client, whose responses are kept. */
  const keeping = (client: Client): Client => {
    const kept = async (made: Promise<Response>) => {
      const response = await made;
      responses.push(response.text, JSON.stringify(response.headers));
      return response;
    };
    return {
      get: (path) => kept(client.get(path)),
      delete: (path) => kept(client.delete(path)),
      post: (path, body, headers) => kept(client.post(path, body, headers)),
      postJson: (path, body, headers) => kept(client.postJson(path, body, headers)),
      patchJson: (path, body) => kept(client.patchJson(path, body)),
      put: (path, body) => kept(client.put(path, body)),
    };
  };

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s,1s', POSTRIDER_PARTITIONS: '1' }, []);
    const stream = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ role: 'test', level: 'debug', isTerminal: false, stream });
    const roles = await Promise.all(
      [startApi, startDelivery, startProjections].map((start) =>
        start(service.config, logger, () => new Date()),
      ),
    );
    roles.forEach(({ stop }) => closeAtEndOfFile(stop));
    const { liveKey } = await service.createAccount();
    unkept = createClient(roles[0]?.address ?? '', liveKey);
    live = keeping(unkept);
    receiver = await startReceiver(({ headers }, response) => {
      // A receiver that shows everything, as many do while someone sets them up.
      const echo = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      response.writeHead(status, { 'x-echo': encodeURI(String(headers['x-api-key'])) });
      const token = String(headers.authorization).replace('Bearer ', '');
      response.end(`${JSON.stringify(headers)}\n${echo.join('\n')}\n${token}`);
    });
  });

  const attemptsOf = (eventId: string, count: number) =>
    eventually(`${count} attempts`, async () => {
      const { data } = read(await live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
      return data.length >= count ? data : null;
    });

  it('are sent with each attempt: changed between retries, resent, and as a test', async () => {
    const headers = {
      'X-Api-Key': planted.first,
      Authorization: `Bearer ${planted.token}`,
      'X-Gone': 'gone',
    };
    const created = await createWebhook(unkept, { url: receiver.url, headers, secret });
    expect(created.headers?.map(({ name }) => name)).to.deep.equal(['x-api-key', 'authorization', 'x-gone']);
    const { id } = created;
    const { id: eventId } = await postEvent(live, 'order.completed');
    await receiver.received(1);
    const merge = { 'x-api-key': planted.replaced, 'x-gone': null };
    const merged = read(await live.patchJson(`/v1/webhooks/${id}`, { headers: merge }), webhookSchema);
    expect(merged.headers?.map(({ name }) => name)).to.deep.equal(['x-api-key', 'authorization']);
    status = 200;
    const changedAt = receiver.requests.length;
    await attemptsOf(eventId, 2);
    await live.postJson(`/v1/events/${eventId}/resend`, { webhookId: id });
    await live.postJson(`/v1/webhooks/${id}/test`, {});
    const requests = await receiver.received(changedAt + 3);
    expect(requests[0]?.headers).to.include({ 'x-api-key': planted.first, 'x-gone': 'gone' });
    for (const request of requests.slice(changedAt)) {
      expect(request.headers).to.include({
        'x-api-key': planted.replaced,
        authorization: `Bearer ${planted.token}`,
      });
      expect(request.headers).not.to.have.property('x-gone');
    }
    const [attempt] = await attemptsOf(eventId, 3);
    expect(attempt?.requestHeaders).to.include({ 'x-api-key': '***', authorization: '***' });
    const none = read(await live.patchJson(`/v1/webhooks/${id}`, { headers: null }), webhookSchema);
    expect(none.headers).to.equal(null);
  });

  it('authenticate each request, and the next one differently after a change', async () => {
    const { bearer, clientSecret, username, password } = planted;
    let answer = {
      status: 200,
      body: JSON.stringify({ access_token: planted.issued, token_type: 'Bearer' }),
    };
    const tokenServer = await startReceiver((_request, response) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
    const client = {
      type: 'oauth2_client_credentials',
      clientId: 'shop',
      tokenUrl: tokenServer.url,
    } as const;
    const basic = { type: 'basic', username, password };
    const { id, auth } = await createWebhook(live, { url: `${receiver.url}?auth`, auth: basic });
    expect(auth?.type).to.equal('basic');
    const own = () => receiver.requests.filter(({ path }) => path.endsWith('?auth'));
    /** What a test delivery has sent after a change of the authentication. */
    const sentWith = async (changed: object | null) => {
      const shown = read(await live.patchJson(`/v1/webhooks/${id}`, { auth: changed }), webhookSchema);
      const count = own().length;
      await live.postJson(`/v1/webhooks/${id}/test`, {});
      const request = await eventually('the test delivery', () => own()[count] ?? null);
      return { shown: shown.auth, sent: request.headers.authorization };
    };

    const encoded = Buffer.from(`${username}:${password}`).toString('base64');
    expect((await sentWith(basic)).sent).to.equal(`Basic ${encoded}`);
    expect((await sentWith({ type: 'bearer', token: bearer })).sent).to.equal(`Bearer ${bearer}`);
    const withToken = await sentWith({ ...client, clientSecret });
    const { updated = '', ...shown } = withToken.shown ?? {};
    expect([withToken.sent, shown]).to.deep.equal([`Bearer ${planted.issued}`, client]);
    expect(new Date(updated).toJSON()).to.equal(updated);

    // The webhook rejects the token, and the token server then rejects the client.
    status = 401;
    answer = { status: 401, body: JSON.stringify({ error: clientSecret }) };
    await live.postJson(`/v1/events`, { type: 'order.completed', data: {} });
    const attempts = await eventually('a rejected and a failed attempt', async () => {
      const { data } = read(await live.get(`/v1/webhooks/${id}/attempts`), attemptListSchema);
      return data[0]?.error?.code === 'auth_failed' ? data : null;
    });
    expect(
      attempts.map(({ statusCode, error }) => statusCode ?? error?.message).slice(0, 3),
    ).to.include.members([401, 'The token server answered with 401']);
    expect(attempts[0]?.requestHeaders).to.equal(null);
    status = 200;

    expect(await sentWith(null)).to.deep.equal({ shown: null, sent: undefined });
  });

  it('are in no error', async () => {
    const { id } = await createWebhook(live, { url: receiver.url, events: ['a'] });
    for (const [headers, refusal] of [
      [{ 'X-A': `${planted.refused}\r\nx-b: c` }, '400 parameter_invalid headers.X-A'],
      [{ Host: planted.refused }, '400 parameter_invalid headers.Host'],
      [{ 'x-a': { a: planted.refused } }, '400 parameter_invalid headers.x-a'],
      [{ 'webhook-id': planted.refused }, '400 parameter_invalid headers.webhook-id'],
      [planted.refused, '400 parameter_invalid headers'],
      [{ 'x-a': planted.refused.repeat(500) }, '400 parameter_invalid headers'],
    ] as const) {
      const body = { url: receiver.url, events: ['a'], headers };
      expect(refusalOf(await live.postJson('/v1/webhooks', body))).to.equal(refusal);
      expect(refusalOf(await live.patchJson(`/v1/webhooks/${id}`, { headers }))).to.equal(refusal);
    }
    const withSecret = await createWebhook(unkept, { url: receiver.url, events: ['a'], secret });
    const rotation = `/v1/webhooks/${withSecret.id}/rotate-secret`;
    for (const given of [secret, `whsec_whsec_${secret}`, secret.repeat(2)]) {
      expect(refusalOf(await live.postJson(rotation, { secret: given }))).to.equal(
        '400 parameter_invalid secret',
      );
    }
    const broken = `{"url":"${receiver.url}","events":["a"],"headers":{"x-a":"${planted.refused}"`;
    expect(refusalOf(await live.post('/v1/webhooks', broken))).to.equal('400 json_invalid');
    expect(refusalOf(await live.patchJson(`/v1/webhooks/${id}`, { header: planted.refused }))).to.equal(
      '400 parameter_unknown header',
    );
    const missing = `/v1/webhooks/${id.slice(0, -4)}0000`;
    expect((await live.patchJson(missing, { headers: { 'x-a': planted.refused } })).status).to.equal(404);
  });

  /** Where a part of the planted texts occurs. */
  const foundIn = (place: string, content: string | Buffer) =>
    allForms.filter((form) => content.includes(form)).map((form) => `${place}: ${form}`);

  it('are in no response of the API', async () => {
    const { text } = await live.get('/v1/webhooks?include=health');
    const [first] = (JSON.parse(text) as { data: { id: string }[] }).data;
    await live.get(`/v1/webhooks/${first?.id ?? ''}`);
    await live.get('/v1/attempts');
    await live.get('/v1/events');
    const entries = await eventually('the entries of the audit log', async () => {
      const answer = (await live.get('/v1/audit-log')).text;
      return answer.includes('x-gone: ***') ? answer : null;
    });
    expect(entries).to.include('"headers":{"from":["x-api-key: ***","x-gone: ***"],"to":["x-api-key: ***"]}');
    expect(responses.flatMap((response) => foundIn('a response', response))).to.deep.equal([]);
  });

  it('are in no record in clear text, and in no document', async () => {
    const found = await service.withStores(async (stores) => {
      const { prefix } = service.config.topics;
      const topics = ['webhooks', 'deliveries', 'accounts', 'events', ...tierTopics.slice(0, 1)] as const;
      const inTopics = topics.map(async (topic) => {
        const count = (await stores.offsets.ends(topic)).reduce((sum, end) => sum + end, 0);
        const records = await readTopic(stores, `${prefix}${topic}`, count);
        return records.flatMap(({ key, value, headers }) => [
          ...foundIn(topic, key ?? ''),
          ...foundIn(topic, value ?? ''),
          ...Object.values(headers ?? {}).flatMap((header) => foundIn(topic, String(header))),
        ]);
      });
      const collections = await stores.mongo.database.collections();
      const inCollections = collections.map(async (collection) => {
        const documents = await collection.find().toArray();
        return documents.flatMap((document) =>
          foundIn(collection.collectionName, Buffer.from(BSON.serialize(document))),
        );
      });
      return (await Promise.all([...inTopics, ...inCollections])).flat();
    });
    expect(found).to.deep.equal([]);
  });

  it('are in no line of the logs', () => {
    expect(lines.some((line) => line.includes('"msg":"attempt"'))).to.equal(true);
    expect(lines.flatMap((line) => foundIn('a line', line))).to.deep.equal([]);
  });
});
