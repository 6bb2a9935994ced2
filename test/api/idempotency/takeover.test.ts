import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { eventSchema } from '../../../api/resources/events/routes.js';
import { webhookWithSecretSchema } from '../../../api/resources/webhooks/schemas.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { read, refusalOf, type Response } from '../support/client.js';
import { openLogReader, type LogReader } from '../support/records.js';
import { createWebhook } from '../support/webhooks.js';
import { openMongo } from '../../support/mongo.js';

const event = { type: 'order.completed', data: {} };
const webhook = { url: 'https://example.com/hook', events: ['never'] };
const epoch = new Date(0);

/** A request whose process crashed between its append and its response leaves a reservation without a response. */
describe('the takeover of an interrupted request', () => {
  let account: TestAccount;
  let mongo: Mongo;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    mongo = await openMongo(account.service.config.mongodb.url);
    log = await openLogReader(account.service, ['events', 'webhooks']);
  });

  const reservations = () => mongo.database.collection<{ readonly _id: string }>('idempotency');

  /** Sends a request, and removes the response from its reservation. */
  const sendAndForget = async (send: () => Promise<Response>) => {
    // Others use the service at the same time.
    const ofAccount = { $regex: `^${account.id}` };
    const before = await reservations().distinct('_id', { _id: ofAccount });
    const response = await send();
    const made = await reservations().findOne({ _id: { ...ofAccount, $nin: before } });
    const left = { _id: made?._id ?? 'none' };
    await reservations().updateOne(left, { $unset: { answer: '' } });
    return {
      response,
      /** Expires the reservation. */
      outlive: () => reservations().updateOne(left, { $set: { heldUntil: epoch } }),
    };
  };

  const eventOnce = () => {
    const headers = { 'idempotency-key': randomUUID() };
    return (body: unknown = event) => account.live.postJson('/v1/events', body, headers);
  };

  it('rejects a repeat until the reservation expires', async () => {
    const send = eventOnce();
    await sendAndForget(send);
    expect(refusalOf(await send())).to.equal('409 idempotency_key_in_use');
  });

  it('rejects another body', async () => {
    const send = eventOnce();
    const { outlive } = await sendAndForget(send);
    await outlive();
    expect(refusalOf(await send({ ...event, type: 'other' }))).to.equal('422 idempotency_key_reused');
  });

  it('appends the same event again, with its id and time', async () => {
    const send = eventOnce();
    const { response, outlive } = await sendAndForget(send);
    await outlive();
    const again = await send();
    const { id, created } = read(response, eventSchema);
    const records = await log.recordsOf('events', id);
    expect([again.text, records.map((record) => [record.id, record.at])]).to.deep.equal([
      response.text,
      [
        [id, created],
        [id, created],
      ],
    ]);
  });

  it('stores its response for further repeats', async () => {
    const send = eventOnce();
    const { outlive } = await sendAndForget(send);
    await outlive();
    await send();
    expect((await send()).headers['idempotent-replayed']).to.equal('true');
  });

  it('does not create a webhook again, and shows its secret', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => account.live.postJson('/v1/webhooks', webhook, headers);
    const { response, outlive } = await sendAndForget(send);
    await outlive();
    const again = await send();
    const { id } = read(response, webhookWithSecretSchema);
    expect([again.text, (await log.recordsOf('webhooks', id)).length]).to.deep.equal([response.text, 1]);
  });

  it('does not restore a webhook that was deleted since', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => account.live.postJson('/v1/webhooks', webhook, headers);
    const { response, outlive } = await sendAndForget(send);
    const { id } = read(response, webhookWithSecretSchema);
    await account.live.delete(`/v1/webhooks/${id}`);
    await outlive();
    const again = await send();
    const found = await account.live.get(`/v1/webhooks/${id}`);
    expect([again.text, found.status]).to.deep.equal([response.text, 404]);
  });

  it('does not rotate a secret again, and shows it', async () => {
    const { id } = await createWebhook(account.live);
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => account.live.postJson(`/v1/webhooks/${id}/rotate-secret`, {}, headers);
    const { response, outlive } = await sendAndForget(send);
    await outlive();
    const again = await send();
    expect([again.text, (await log.recordsOf('webhooks', id)).length]).to.deep.equal([response.text, 2]);
  });

  it('stores no error, so a later repeat decides again', async () => {
    const { id } = await createWebhook(account.live);
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => account.live.postJson(`/v1/webhooks/${id}/rotate-secret`, {}, headers);
    const { outlive } = await sendAndForget(send);
    await account.live.delete(`/v1/webhooks/${id}`);
    await outlive();
    const answers = [await send(), await send()];
    expect(answers.map((answer) => [refusalOf(answer), answer.headers['idempotent-replayed']])).to.deep.equal(
      [
        ['404 resource_missing', undefined],
        ['404 resource_missing', undefined],
      ],
    );
  });

  it('stores no secret in the database, with or without a response', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const created = await account.live.postJson('/v1/webhooks', webhook, headers);
    const { secret } = read(created, webhookWithSecretSchema);
    const collections = await mongo.database.collections();
    const stored = await Promise.all(collections.map((collection) => collection.find().toArray()));
    const text = JSON.stringify(stored);
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const forms = [secret.slice(6, 30), bytes.toString('hex').slice(0, 24), secret];
    expect(forms.filter((form) => text.includes(form))).to.deep.equal([]);
  });
});
