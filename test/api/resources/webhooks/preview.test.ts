import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import {
  eventPreviewSchema,
  historyPreviewSchema,
} from '../../../../api/resources/webhooks/previewSchemas.js';
import { startReceiver } from '../../../support/receiver.js';
import { addApiKeys, openAccount, type TestAccount } from '../../support/accounts.js';
import { createClient, read, refusalOf } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

describe('POST /v1/webhooks/{id}/preview', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  const preview = (id: string, body: unknown) => account.live.postJson(`/v1/webhooks/${id}/preview`, body);
  const ofEvent = async (id: string, body: unknown) => read(await preview(id, body), eventPreviewSchema);
  const ofHistory = async (id: string, body: unknown) => read(await preview(id, body), historyPreviewSchema);
  const post = async (type: string, data: unknown, more: object = {}) =>
    read(await account.live.postJson('/v1/events', { type, data, ...more }), eventSchema).id;

  for (const format of ['standard', 'cloudevents', 'thin']) {
    it(`shows the request that an attempt sends, and sends none: ${format}`, async () => {
      const receiver = await startReceiver();
      const { id, url } = await createWebhook(account.live, {
        ...{ url: receiver.url, events: [`sent.${format}`], tenantId: '*' },
        ...{ format, signatureHeaderPrefix: 'acme', headers: { 'x-key': 'planted-7c1' } },
      });
      const eventId = await post(`sent.${format}`, { note: 'é' }, { tenantId: 'customer-42' });
      const [sent] = await receiver.received(1);
      const { matches, reason, request } = await ofEvent(id, { eventId });
      const { connection: _connection, ...headers } = sent?.headers ?? {};
      const times = ['acme-timestamp', 'acme-signature'].map(
        (name) => [name, request.headers[name]] as const,
      );
      expect([matches, reason]).to.deep.equal([true, null]);
      expect(request).to.deep.include({ method: 'POST', url, body: sent?.body.toString() });
      expect(request.headers).to.deep.equal({ ...headers, ...Object.fromEntries(times), 'x-key': '***' });
      expect(headers['x-key']).to.equal('planted-7c1');
      expect(request.headers['acme-signature']).to.equal('v1,***');
      expect(receiver.requests).to.have.lengthOf(1);
    });
  }

  it('keeps the data of a made-up event byte for byte', async () => {
    const { id } = await createWebhook(account.live);
    const data = '{"amount": 12345678901234567890.10}';
    const answer = await account.live.post(`/v1/webhooks/${id}/preview`, `{"type":"a.b","data":${data}}`);
    expect(read(answer, eventPreviewSchema).request.body).to.contain(`"data":${data}}`);
  });

  it('says why an event does not match', async () => {
    const { id } = await createWebhook(account.live, {
      ...{ events: ['order.*'], filter: { data: { amount: { $gte: 100 } } } },
    });
    const reasonOf = async (body: object) => {
      const { matches, reason, condition } = await ofEvent(id, body);
      return [matches, reason, condition];
    };
    const made = { type: 'order.paid', data: { amount: 100 } };
    expect(await reasonOf(made)).to.deep.equal([true, null, null]);
    expect(await reasonOf({ ...made, type: 'order' })).to.deep.equal([false, 'type', null]);
    expect(await reasonOf({ ...made, tenantId: 'a' })).to.deep.equal([false, 'tenant', null]);
    const cheap = [false, 'filter', 'filter.data.amount'];
    expect(await reasonOf({ ...made, data: { amount: 99 } })).to.deep.equal(cheap);
    expect(await reasonOf({ eventId: await post('order.paid', { amount: 1 }) })).to.deep.equal(cheap);
    await account.live.patchJson(`/v1/webhooks/${id}`, { status: 'disabled' });
    expect(await reasonOf(made)).to.deep.equal([false, 'webhook_disabled', null]);
  });

  it('tries a filter on the events of the types and the tenant of the webhook', async () => {
    const since = new Date().toISOString();
    const { id } = await createWebhook(account.live, {
      events: ['tried.*'],
      filter: { data: { amount: 1 } },
    });
    const ids = [await post('tried.a', { amount: 1 }), await post('tried.b', { amount: 2 })];
    await post('other', { amount: 2 });
    await post('tried.a', { amount: 2 }, { tenantId: 'a' });
    const [first, second] = ids;
    const filter = { data: { amount: { $gt: 1 } } };
    const { samples, ...counts } = await ofHistory(id, { since, filter });
    expect(counts).to.deep.equal({ checked: 2, matched: 1, failed: 0, complete: true });
    expect(samples.map(({ eventId, matches, condition }) => [eventId, matches, condition])).to.deep.equal([
      [second, true, null],
      [first, false, 'filter.data.amount'],
    ]);
    expect((await ofHistory(id, { since })).samples.find(({ matches }) => matches)?.eventId).to.equal(first);
    expect(await ofHistory(id, { since, filter: null })).to.deep.include({ checked: 2, matched: 2 });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await ofHistory(id, { since: later })).to.deep.include({ checked: 0, complete: true });
  });

  it('rejects a request that is ambiguous or incomplete', async () => {
    const { id } = await createWebhook(account.live);
    const since = new Date().toISOString();
    const eventId = 'evt_01M7YDPVFCXGPKVZ39MTD48GR5';
    const made = { type: 'a', data: {} };
    for (const [body, refusal] of [
      [{}, '400 parameter_missing eventId'],
      [{ eventId, type: 'a' }, '400 parameter_invalid type'],
      [{ eventId, since }, '400 parameter_invalid since'],
      [{ eventId, data: {} }, '400 parameter_invalid data'],
      [{ type: 'a' }, '400 parameter_missing data'],
      [{ ...made, filter: {} }, '400 parameter_invalid filter'],
      [{ since, tenantId: 'a' }, '400 parameter_invalid tenantId'],
      [{ since, filter: { dta: 1 } }, '400 filter_invalid filter.dta'],
      [{ ...made, transformation: { code: '' } }, '400 parameter_unknown transformation'],
      [{ eventId }, '404 resource_missing'],
    ] as const) {
      expect(refusalOf(await preview(id, body)).trim(), JSON.stringify(body)).to.equal(refusal);
    }
    expect(refusalOf(await preview('wh_01M7YDPTQM04NT3X3AX52TZD0R', made)).trim()).to.equal(
      '404 resource_missing',
    );
  });

  it('needs both scopes', async () => {
    const { id } = await createWebhook(account.live);
    const scopes = ['webhooks:read', 'events:read'] as const;
    const keys = [scopes, scopes.slice(0, 1), scopes.slice(1)].map((each) => ({
      ...{ mode: 'live' as const, scopes: each },
    }));
    const answers = await Promise.all(
      (await addApiKeys(account, keys)).map(async ({ secret }) => {
        const client = createClient(account.service.address, secret);
        return (await client.postJson(`/v1/webhooks/${id}/preview`, { type: 'a', data: {} })).status;
      }),
    );
    expect(answers).to.deep.equal([200, 403, 403]);
  });
});
