import { expect } from 'chai';

import { modelDefinitions, type ModelName } from '../../../shared/store/models/modelDefinitions.js';
import { allPartitions } from '../../../shared/store/models/modelProgress.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import {
  accountKeysTopic,
  tierTopics,
  topicNames,
  type TopicName,
} from '../../../shared/log/topics/names.js';
import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { startAnotherApi } from '../../api/support/anotherApi.js';
import { createClient } from '../../api/support/client.js';
import { postEvent } from '../../api/support/events.js';
import { openUser, useLink, type SignedInUser } from '../../api/support/signedInUsers.js';
import { openLogReader, type LogReader } from '../../api/support/records.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { openRedis } from '../../shared/store/redis/connections.js';
import { eventually } from '../../support/eventually.js';
import { newEventId, startForeignProducer, type ForeignProducer } from '../../support/foreignProducer.js';
import { runCommand, runProgram, type ProgramOutcome } from '../../support/program.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

/** The models in which an account in use has documents. */
const filled = [
  'accounts',
  'webhooks',
  'events',
  'attempts',
  'stats',
  'audit',
  'replays',
  'eventTypes',
  'tenants',
  'idempotency',
];

/** Every topic of the log except dead letters. */
const topics: readonly TopicName[] = [...topicNames, accountKeysTopic, ...tierTopics];

/** Personal data: the names and email addresses of users, and the names of their keys. */
const telling = [
  'Customer Hopper',
  'Ada Lovelace',
  'test@example.com',
  'grace@example.com',
  'First live key',
];

/** One sequence: an account with data in every model is deleted, and another account stays. */
describe('postrider account delete', () => {
  let service: TestService;
  let other: RunningRole;
  let account: TestAccount;
  let neighbor: TestAccount;
  let owner: SignedInUser;
  let receiver: Receiver;
  let log: LogReader;
  let producer: ForeignProducer;
  let webhookId: string;
  let failingEventId: string;
  let outcome: ProgramOutcome;
  /** The number of requests to the webhooks when the command ended. */
  let received: number;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '30s' });
    other = await startAnotherApi(service);
    log = await openLogReader(service, topics);
    receiver = await startReceiver((request, response) => {
      response.statusCode = String(request.body).includes('fail') ? 500 : 200;
      response.end();
    });
    [account, neighbor] = [await openAccount(service), await openAccount(service)];
    producer = await startForeignProducer(service, account.id);
    owner = await useLink(service.address, account.signInToken, 'Ada Lovelace');
    webhookId = await fill(account);
    const developer = await openUser(account, owner, 'developer', 'grace@example.com');
    await Promise.all([owner, developer].map(useByHand));
    await fill(neighbor);
    failingEventId = (await postEvent(account.live, 'to.fail')).id;
    await receiver.received(3);
    await documentsInEveryModel();
    outcome = await runProgram(service.settings, 'account', 'delete', account.id, '--yes');
    received = receiver.requests.length;
  });

  const fill = async ({ live, test }: TestAccount): Promise<string> => {
    const { id } = await createWebhook(live, { url: receiver.url });
    await live.postJson('/v1/events', { type: 'a.b', data: {} }, { 'idempotency-key': 'k' });
    const since = new Date(Date.now() - 60_000).toISOString();
    await live.postJson('/v1/replays', { webhookId: id, since, only: 'failed' });
    const eventType = '{"schema":true,"examples":[{"name":"Customer Hopper"}]}';
    // The first thread that compiles schemas may start slowly. The API then answers 503, and changes nothing.
    await eventually('an event type', async () =>
      (await live.put('/v1/event-types/a.b', eventType)).status === 201 ? true : null,
    );
    await live.put('/v1/tenants/customer-42', '{"name":"Customer Hopper"}');
    await live.postJson('/v1/api-keys', { name: 'Customer Hopper', tenantId: 'customer-42' });
    await createWebhook(test);
    await postEvent(test);
    return id;
  };

  /** Every action of a user that has a record in the topics for subscribers. */
  const useByHand = async (person: SignedInUser) => {
    const send = async (method: string, path: string, body?: unknown) => {
      const { status, text } = await person.send(method, path, body === undefined ? {} : { body });
      expect(status, `${method} ${path}: ${text}`).to.be.lessThan(300);
      return String((JSON.parse(text) as { readonly id?: unknown }).id);
    };
    const since = new Date(Date.now() - 60_000).toISOString();
    const id = await send('POST', '/v1/webhooks', { url: receiver.url, events: ['by.hand'] });
    await send('PATCH', `/v1/webhooks/${id}`, { description: 'By hand' });
    await send('POST', `/v1/webhooks/${id}/rotate-secret`, {});
    const replayId = await send('POST', '/v1/replays', { webhookId: id, since, only: 'all' });
    await send('POST', `/v1/replays/${replayId}/cancel`, {});
    const eventId = await send('POST', '/v1/events', { type: 'by.hand', data: {} });
    await eventually('the delivery', async () =>
      (await person.send('GET', `/v1/events/${eventId}`)).text.includes('"delivered"') ? true : null,
    );
    await send('POST', `/v1/events/${eventId}/resend`, {});
    await send('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    await send('DELETE', `/v1/webhooks/${id}`);
  };

  const documentsInEveryModel = () =>
    eventually('documents in every model', async () => {
      const texts = await documentsWith([account.id]);
      const found = new Set(texts.map(({ model }) => model));
      return filled.every((model) => found.has(model)) ? true : null;
    });

  /** All documents in MongoDB that contain one of these texts: their model or collection, and their JSON. */
  const documentsWith = (texts: readonly string[]) =>
    service.withStores(async ({ mongo }) => {
      const collections = await mongo.database.collections();
      const found = await Promise.all(
        collections.map(async (collection) =>
          (await collection.find().toArray()).map((document) => ({
            model: collection.collectionName.split('.')[0] ?? '',
            text: JSON.stringify(document),
          })),
        ),
      );
      return found.flat().filter(({ text }) => texts.some((part) => text.includes(part)));
    });

  /** Waits until these models have folded all records in the log. */
  const modelsAreThere = (names: readonly ModelName[]) =>
    service.withStores(async ({ offsets, progress }) => {
      for (const name of names) {
        for (const topic of modelDefinitions[name].topics) {
          const ends = allPartitions(await offsets.ends(topic));
          expect(await progress[name].reached(topic, ends, 30_000), `${name} of ${topic}`).to.equal(true);
        }
      }
    });

  const statusOf = async (address: string) =>
    (await createClient(address, account.liveKey).get('/v1/webhooks')).status;

  it('confirms the deletion once all data is removed', () => {
    expect(outcome).to.deep.equal({ code: 0, stdout: `${account.id} is deleted.\n`, stderr: '' });
  });

  it('disables the keys of the account on every process', async () => {
    expect([await statusOf(service.address), await statusOf(other.address)]).to.deep.equal([401, 401]);
  });

  it('ends the sessions of its users', async () => {
    expect((await owner.send('GET', '/v1/webhooks')).status).to.equal(401);
  });

  it('removes the account from the list of accounts', async () => {
    const { stdout } = await runCommand(service.settings, 'account', 'list');
    expect([stdout.includes(account.id), stdout.includes(neighbor.id)]).to.deep.equal([false, true]);
  });

  it('leaves only ids of the account, its webhooks and its tenants in MongoDB, with the released leases', async () => {
    const left = await documentsWith([account.id, webhookId, failingEventId]);
    const fields = left.map(({ model, text }) => [model, ...Object.keys(JSON.parse(text) as object)].sort());
    const isFence = (names: readonly string[]) => names.includes('fences');
    const fieldsOfWebhook = ['accountId', 'mode', 'positions', 'recordIds', 'status', 'tenancy', 'tenantId'];
    const webhook = ['_id', ...fieldsOfWebhook, 'webhooks'];
    const lease = ['_id', 'holder', 'leases', 'number', 'unfenced', 'until', 'writable'];
    expect(fields.filter((names) => !isFence(names))).to.have.deep.members([
      ['_id', 'accountKeys', 'destroyed', 'isDeleted', 'key', 'positions'],
      ['_id', 'accounts', 'deletedAt', 'isDeleted', 'positions', 'recordIds'],
      lease,
      [...lease, 'floor'].sort(),
      [...lease, 'forgetAt', 'isFloored'].sort(),
      // One of each mode, and one of each user.
      ...[webhook, webhook, webhook, webhook],
    ]);
    // The model `webhooks` keeps the fences of the account's tenants.
    expect(new Set(fields.filter(isFence).map(String))).to.deep.equal(
      new Set(['_id,fences,positions,webhooks']),
    );
  });

  it('leaves nothing of the account in Redis', async () => {
    const redis = await openRedis(service.config.redis);
    try {
      await eventually('the end of the last window', async () =>
        (await redis.client.keys(`*${account.id}*`)).length === 0 ? true : null,
      );
    } finally {
      redis.close();
    }
  });

  it('deletes the webhooks in the log, which subscribers read', async () => {
    const records = await log.recordsOf('webhooks', webhookId);
    expect(records.map(({ type }) => type)).to.deep.equal([
      'postrider.webhook.created',
      'postrider.webhook.deleted',
    ]);
  });

  it('cancels pending deliveries', async () => {
    await eventually(
      'the end of the delivery',
      async () =>
        (await log.recordsOf('deliveries', failingEventId)).some(
          ({ type }) => type === 'postrider.delivery.canceled',
        )
          ? true
          : null,
      60_000,
    );
    expect(receiver.requests.length).to.equal(received);
  });

  it('leaves no readable personal data in the records of the account', async () => {
    const records = await log.recordsOf('accounts', account.id);
    const readable = records.filter(({ value }) => /Test|example|First live key/.test(value));
    expect([records.length > 3, readable]).to.deep.equal([true, []]);
  });

  for (const topic of topics) {
    it(`leaves no name or email address of a user in ${topic}`, async () => {
      const found = await Promise.all(telling.map((text) => log.recordsWith(topic, text)));
      expect(found.flat().map(({ type, value }) => `${type}: ${value}`)).to.deep.equal([]);
    });
  }

  it('destroys the data key of the account', async () => {
    const values = (await log.recordsOf('account-keys', account.id)).map(({ value }) => value);
    expect(values.at(-1)).to.equal('null');
  });

  it('does not affect other accounts', async () => {
    const models = (await documentsWith([neighbor.id])).map(({ model }) => model);
    expect(models).to.include.members(filled);
  });

  it('makes later records of another producer dead letters', async () => {
    const id = newEventId();
    await producer.append(producer.messageOf(id));
    expect(await producer.refusalOf(id)).to.equal(`the account ${account.id} in ce_source was deleted`);
  });

  it('makes later records ineffective', async () => {
    const id = newEventId();
    await producer.append(producer.messageOf(id));
    await producer.refusalOf(id);
    await modelsAreThere(['events', 'stats']);
    expect([await documentsWith([id]), receiver.requests.length]).to.deep.equal([[], received]);
  });

  it('can be repeated', async () => {
    const again = await runCommand(service.settings, 'account', 'delete', account.id, '--yes');
    expect(again.code).to.equal(0);
  });

  it('remains effective when the models are rebuilt', async () => {
    await service.withStores(({ mongo }) => mongo.database.dropDatabase());
    await eventually('the models to be complete', async () =>
      (await neighbor.live.get('/v1/audit-log')).status === 200 ? true : null,
    );
    await modelsAreThere(['events', 'attempts', 'stats']);
    const models = (await documentsWith([account.id, failingEventId])).map(({ model }) => model);
    const status = await eventually('an answer from complete models', async () => {
      const answered = await statusOf(service.address);
      return answered === 503 ? null : answered;
    });
    expect([status, new Set(models)]).to.deep.equal([401, new Set(['accounts', 'accountKeys', 'webhooks'])]);
  });
});
