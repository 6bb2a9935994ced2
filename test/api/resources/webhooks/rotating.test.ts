import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { webhookSchema, webhookWithSecretSchema } from '../../../../api/resources/webhooks/schemas.js';
import { startReceiver, type ReceivedRequest } from '../../../support/receiver.js';
import { startService } from '../../../support/service.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createClient, read, refusalOf } from '../../support/client.js';
import { postEvent } from '../../support/events.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

const json = { 'content-type': 'application/json' };

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
  });

  const pathOf = (id: string) => `/v1/webhooks/${id}/rotate-secret`;

  const rotate = async (id: string, body: unknown = {}, { live } = account) =>
    read(await live.postJson(pathOf(id), body), webhookWithSecretSchema.strict());

  /** The seconds until the previous secret expires, by the last record of a rotation. */
  const secondsOf = async (id: string) => {
    const record = (await log.recordsOf('webhooks', id)).at(-1);
    const { previousExpiresAt } = JSON.parse(record?.value ?? '{}') as { previousExpiresAt: string };
    return (Date.parse(previousExpiresAt) - Date.parse(record?.at ?? '')) / 1000;
  };

  it('answers 200 with the webhook and a new secret of 32 bytes, which only the response shows', async () => {
    const { secret: first, secretInfo: _first, ...webhook } = await createWebhook(account.live);
    const { secret, secretInfo: _second, ...rotated } = await rotate(webhook.id);
    expect([rotated, secret === first, Buffer.from(secret.slice(6), 'base64').length]).to.deep.equal([
      webhook,
      false,
      32,
    ]);
    const stored = (await log.recordsOf('webhooks', webhook.id)).map(({ value }) => value).join();
    read(await account.live.get(`/v1/webhooks/${webhook.id}`), webhookSchema.strict());
    expect(stored).not.to.contain(secret.slice(6));
  });

  it('keeps the previous secret valid for the given seconds, by default a day', async () => {
    const { id } = await createWebhook(account.live);
    for (const [body, headers, seconds] of [
      ['{}', json, 86_400],
      ['', {}, 86_400],
      ['', { 'content-length': '0' }, 86_400],
      ['{"expiresIn":604800}', json, 604_800],
      ['{"expiresIn":0}', json, 0],
    ] as const) {
      const rotated = await account.live.post(pathOf(id), body, headers);
      const { secret, secretInfo } = read(rotated, webhookWithSecretSchema);
      const ends = new Date(Date.parse(secretInfo.created) + seconds * 1000).toISOString();
      expect([secretInfo.last4, secretInfo.previousExpiresAt, await secondsOf(id)], body).to.deep.equal([
        secret.slice(-4),
        seconds === 0 ? null : ends,
        seconds,
      ]);
    }
  });

  it('takes the secret of another system, and rejects the one that the webhook has', async () => {
    const [first, second] = ['first', 'second'].map((text) =>
      Buffer.from(text.padEnd(24)).toString('base64'),
    );
    const receiver = await startReceiver();
    const fields = { url: receiver.url, events: ['moved'], secret: first };
    const { id, secret, secretInfo } = await createWebhook(account.live, fields);
    expect([secret, secretInfo.last4]).to.deep.equal([`whsec_${first ?? ''}`, first?.slice(-4)]);
    const again = await account.live.postJson(pathOf(id), { secret });
    expect([refusalOf(again), again.text.includes(first ?? '')]).to.deep.equal([
      '400 parameter_invalid secret',
      false,
    ]);
    const key = { ...json, 'idempotency-key': id };
    const body = JSON.stringify({ secret: `whsec_${second ?? ''}` });
    const rotated = read(await account.live.post(pathOf(id), body, key), webhookWithSecretSchema.strict());
    const repeated = read(await account.live.post(pathOf(id), body, key), webhookWithSecretSchema.strict());
    expect([rotated.secret, repeated.secret]).to.deep.equal(Array(2).fill(`whsec_${second ?? ''}`));
    await postEvent(account.live, 'moved');
    const [request] = await receiver.received(1);
    expect([second, first].map((valid) => placeOfSignature(valid ?? '', request))).to.deep.equal([0, 1]);
    const stored = (await log.recordsOf('webhooks', id)).map(({ value }) => value).join();
    expect(stored).not.to.contain(first);
  });

  it('validates its body', async () => {
    const { id } = await createWebhook(account.test);
    for (const [body, refusal] of [
      ['{"expiresIn":604801}', '400 parameter_invalid expiresIn'],
      ['', '400 json_invalid'],
      ['[]', '400 parameter_invalid'],
    ] as const) {
      expect(refusalOf(await account.test.post(pathOf(id), body))).to.equal(refusal);
    }
  });

  it('keeps secrets valid that were sealed before the encryption keys were rotated', async () => {
    const keys = [2, 1].map((byte) => `key${byte}:${Buffer.alloc(32, byte).toString('base64')}`);
    const service = await startService({ POSTRIDER_ENCRYPTION_KEYS: keys.join() });
    const own = await openAccount(service);
    // This API has both keys, and seals with the earlier one.
    const config = { ...service.config, encryptionKeys: [...service.config.encryptionKeys].reverse() };
    const earlier = await startAnotherApi({ ...service, config });
    const receiver = await startReceiver();
    const fields = { url: receiver.url, events: ['signed'] };
    const created = await createWebhook(createClient(earlier.address, own.liveKey), fields);
    const rotated = await rotate(created.id, {}, own);
    await postEvent(own.live, 'signed');
    const [request] = await receiver.received(1);
    expect([rotated, created].map(({ secret }) => placeOfSignature(secret, request))).to.deep.equal([0, 1]);
  });

  it('keeps all secrets valid that have not expired, until a rotation without overlap as after a leak', async () => {
    const own = await openAccount();
    const receiver = await startReceiver();
    const first = await createWebhook(own.live, { url: receiver.url, events: ['signed'] });
    const second = await rotate(first.id, { expiresIn: 600 }, own);
    const third = await rotate(first.id, { expiresIn: 600 }, own);
    await postEvent(own.live, 'signed');
    const [before] = await receiver.received(1);
    const fourth = await rotate(first.id, { expiresIn: 0 }, own);
    await postEvent(own.live, 'signed');
    const [, after] = await receiver.received(2);
    const places = (request: ReceivedRequest | undefined) =>
      [fourth, third, second, first].map(({ secret }) => placeOfSignature(secret, request));
    expect([places(before), places(after)]).to.deep.equal([
      [-1, 0, 1, 2],
      [0, -1, -1, -1],
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
