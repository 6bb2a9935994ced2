import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { webhookSchema, webhookWithSecretSchema } from '../../../../api/resources/webhooks/schemas.js';
import { createOpened } from '../../../support/opened.js';
import { startReceiver, type ReceivedRequest } from '../../../support/receiver.js';
import { startService } from '../../../support/service.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createClient, read, refusalOf } from '../../support/client.js';
import { postEvent } from '../../support/events.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const refusedBodies: readonly [what: string, body: string, apiError: string][] = [
  ['a negative expiry', '{"expiresIn":-1}', '400 parameter_invalid expiresIn'],
  ['an expiry of more than a week', '{"expiresIn":604801}', '400 parameter_invalid expiresIn'],
  ['a fraction of a second', '{"expiresIn":1.5}', '400 parameter_invalid expiresIn'],
  ['a text for the expiry', '{"expiresIn":"60"}', '400 parameter_invalid expiresIn'],
  ['null for the expiry', '{"expiresIn":null}', '400 parameter_invalid expiresIn'],
  ['a field too many', '{"secret":"whsec_x"}', '400 parameter_unknown secret'],
  ['an empty body with a content type', '', '400 json_invalid'],
  ['a list', '[]', '400 parameter_invalid'],
];

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  const opened = createOpened();
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
    opened.add('log reader', log.close);
  });
  after(() => opened.releaseAll());

  const pathOf = (id: string) => `/v1/webhooks/${id}/rotate-secret`;

  const rotate = async (id: string, body: unknown = {}, { live } = account) =>
    read(await live.postJson(pathOf(id), body), webhookWithSecretSchema.strict());

  /** The seconds until the previous secret expires, by the last record of a rotation. */
  const secondsOf = async (id: string) => {
    const record = (await log.recordsOf('webhooks', id)).at(-1);
    const { previousExpiresAt } = JSON.parse(record?.value ?? '{}') as { previousExpiresAt: string };
    return (Date.parse(previousExpiresAt) - Date.parse(record?.at ?? '')) / 1000;
  };

  it('answers 200 with the webhook and a new secret of 32 bytes', async () => {
    const { secret: first, secretInfo: _first, ...webhook } = await createWebhook(account.live);
    const { secret, secretInfo: _second, ...rotated } = await rotate(webhook.id);
    expect([rotated, secret === first, Buffer.from(secret.slice(6), 'base64').length]).to.deep.equal([
      webhook,
      false,
      32,
    ]);
  });

  it('shows the end of the new secret, and until when the previous one also signs', async () => {
    const { id } = await createWebhook(account.live);
    const { secret, secretInfo } = await rotate(id, { expiresIn: 3600 });
    const ends = Date.parse(secretInfo.previousExpiresAt ?? '') - Date.parse(secretInfo.created);
    expect([secretInfo.last4, ends]).to.deep.equal([secret.slice(-4), 3_600_000]);
  });

  it('shows no previous secret that no longer signs', async () => {
    const { id } = await createWebhook(account.live);
    expect((await rotate(id, { expiresIn: 0 })).secretInfo.previousExpiresAt).to.equal(null);
  });

  it('shows the secret only in its response', async () => {
    const { id } = await createWebhook(account.live);
    const { secret } = await rotate(id);
    const stored = (await log.recordsOf('webhooks', id)).map(({ value }) => value).join();
    read(await account.live.get(`/v1/webhooks/${id}`), webhookSchema.strict());
    expect(stored).not.to.contain(secret.slice(6));
  });

  for (const [body, seconds] of [
    [{}, 86_400],
    [{ expiresIn: 0 }, 0],
    [{ expiresIn: 604_800 }, 604_800],
  ] as const) {
    it(`keeps the previous secret valid for ${seconds} s with ${JSON.stringify(body)}`, async () => {
      const { id } = await createWebhook(account.live);
      await rotate(id, body);
      expect(await secondsOf(id)).to.equal(seconds);
    });
  }

  for (const headers of [{}, { 'content-length': '0' }]) {
    it(`treats an absent body as {}, with ${JSON.stringify(headers)}`, async () => {
      const { id } = await createWebhook(account.live);
      const response = await account.live.post(pathOf(id), '', headers);
      expect([response.status, await secondsOf(id)]).to.deep.equal([200, 86_400]);
    });
  }

  for (const [what, body, apiError] of refusedBodies) {
    it(`rejects ${what}`, async () => {
      const { id } = await createWebhook(account.test);
      expect(refusalOf(await account.test.post(pathOf(id), body))).to.equal(apiError);
    });
  }

  it('answers 404 for a webhook that is deleted or of the other mode', async () => {
    const [mine, deleted] = [await createWebhook(account.live), await createWebhook(account.live)];
    await account.live.delete(`/v1/webhooks/${deleted.id}`);
    const answers = await Promise.all([
      account.test.postJson(pathOf(mine.id), {}),
      account.live.postJson(pathOf(deleted.id), {}),
    ]);
    expect(answers.map(refusalOf)).to.deep.equal(['404 resource_missing', '404 resource_missing']);
  });

  it('keeps secrets valid that were sealed before the encryption keys were rotated', async () => {
    const keys = [2, 1].map((byte) => `key${byte}:${Buffer.alloc(32, byte).toString('base64')}`);
    const service = await startService({ POSTRIDER_ENCRYPTION_KEYS: keys.join() });
    opened.add('service', service.stop);
    const own = await openAccount(service);
    // This API has both keys, and seals with the earlier one.
    const config = { ...service.config, encryptionKeys: [...service.config.encryptionKeys].reverse() };
    const earlier = await startAnotherApi({ ...service, config });
    opened.add('earlier API', earlier.stop);
    const receiver = await startReceiver();
    opened.add('receiver', receiver.close);
    const fields = { url: receiver.url, events: ['signed'] };
    const created = await createWebhook(createClient(earlier.address, own.liveKey), fields);
    const rotated = await rotate(created.id, {}, own);
    await postEvent(own.live, 'signed');
    const [request] = await receiver.received(1);
    expect([rotated, created].map(({ secret }) => placeOfSignature(secret, request))).to.deep.equal([0, 1]);
  });

  it('keeps all secrets valid that have not expired, and signs with the new one first', async () => {
    const own = await openAccount();
    const receiver = await startReceiver();
    opened.add('receiver', receiver.close);
    const created = await createWebhook(own.live, { url: receiver.url, events: ['signed'] });
    const second = await rotate(created.id, { expiresIn: 600 }, own);
    const third = await rotate(created.id, { expiresIn: 600 }, own);
    await postEvent(own.live, 'signed');
    const [request] = await receiver.received(1);
    expect([third, second, created].map(({ secret }) => placeOfSignature(secret, request))).to.deep.equal([
      0, 1, 2,
    ]);
  });

  it('signs with the new secret alone after a rotation without overlap, as after a leak', async () => {
    const own = await openAccount();
    const receiver = await startReceiver();
    opened.add('receiver', receiver.close);
    const created = await createWebhook(own.live, { url: receiver.url, events: ['signed'] });
    const second = await rotate(created.id, { expiresIn: 600 }, own);
    const third = await rotate(created.id, { expiresIn: 0 }, own);
    await postEvent(own.live, 'signed');
    const [request] = await receiver.received(1);
    expect([third, second, created].map(({ secret }) => placeOfSignature(secret, request))).to.deep.equal([
      0, -1, -1,
    ]);
  });
});

/** The index of the signature by this secret in a request, or -1. */
function placeOfSignature(secret: string, request: ReceivedRequest | undefined): number {
  const header = (name: string) => String(request?.headers[name]);
  const body = String(request?.body);
  const signedAt = new Date(Number(header('webhook-timestamp')) * 1000);
  const signature = new Webhook(secret).sign(header('webhook-id'), signedAt, body);
  return header('webhook-signature').split(' ').indexOf(signature);
}
