import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import { begunAfter } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

/** The deadline for the ends of many deliveries on a busy machine, in milliseconds. */
const endedMs = 45_000;
const daysAhead = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

describe('PATCH /v1/webhooks/{id}', () => {
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
  });

  const update = async (id: string, body: unknown, { live } = account) =>
    read(await live.patchJson(`/v1/webhooks/${id}`, body), webhookSchema.strict());

  const changesOf = async (id: string) =>
    (await log.recordsOf('webhooks', id)).slice(1).map(({ type, value }) => [
      type.slice('postrider.webhook.'.length),
      // The tests of the creation check the actor.
      JSON.parse(value, (name, member: unknown) => (name === 'actor' ? undefined : member)) as unknown,
    ]);

  it('returns the changed webhook, with only the given fields changed', async () => {
    const { secret: _secret, ...created } = await createWebhook(account.live, { description: 'First' });
    let expected: object = created;
    for (const fields of [
      { url: 'https://example.com/other', events: ['a', 'b'] },
      { description: 'Orders' },
      { name: 'Shop', mutedUntil: daysAhead(29.9) },
      { mutedUntil: '2020-01-01T00:00:00.000Z' },
      { name: null, mutedUntil: null, description: null },
    ]) {
      expected = { ...expected, ...fields };
      expect(await update(created.id, fields)).to.deep.equal(expected);
    }
    const found = read(await account.live.get(`/v1/webhooks/${created.id}`), webhookSchema.strict());
    expect(found).to.deep.equal(expected);
  });

  it('records each field before and after the change, and appends nothing if nothing changes', async () => {
    const { id, url } = await createWebhook(account.live);
    await update(id, {});
    await update(id, { url, events: ['*'], description: null, status: 'active' });
    await update(id, { url: 'https://example.com/other', events: ['*'], description: 'Orders' });
    expect(await changesOf(id)).to.deep.equal([
      [
        'updated',
        {
          changes: {
            url: { from: url, to: 'https://example.com/other' },
            description: { from: null, to: 'Orders' },
          },
        },
      ],
    ]);
  });

  it('disables, changes and enables a webhook, with a record for the settings and one for the status', async () => {
    const { id } = await createWebhook(account.live);
    const changed = [
      await update(id, { description: 'Paused', status: 'disabled' }),
      await update(id, { description: 'Orders' }),
      await update(id, { status: 'active' }),
    ];
    expect(changed.map(({ status, disabledReason }) => [status, disabledReason])).to.deep.equal([
      ['disabled', 'manual'],
      ['disabled', 'manual'],
      ['active', null],
    ]);
    expect((await changesOf(id)).slice(0, 2)).to.deep.equal([
      ['updated', { changes: { description: { from: null, to: 'Paused' } } }],
      ['disabled', { reason: 'manual', epoch: 0 }],
    ]);
    // Each record of one change has its own id, and all have the same time.
    const [, updated, disabled] = await log.recordsOf('webhooks', id);
    expect([updated?.id === disabled?.id, updated?.at === disabled?.at]).to.deep.equal([false, true]);
  });

  it('validates its body and its URL', async () => {
    const { id } = await createWebhook(account.test);
    for (const [body, refusal] of [
      [{ events: ['a', 'b', 3] }, '400 parameter_invalid events[2]'],
      [{ url: 'https://example.com/#a' }, '400 url_invalid url'],
      [{ mutedUntil: daysAhead(30.01) }, '400 parameter_invalid mutedUntil'],
    ] as const) {
      expect(refusalOf(await account.test.patchJson(`/v1/webhooks/${id}`, body))).to.equal(refusal);
    }
  });

  it('checks the body before it looks for the webhook', async () => {
    expect(refusalOf(await account.live.patchJson('/v1/webhooks/wh_1', { url: '' }))).to.equal(
      '400 url_invalid url',
    );
  });

  it('delivers events that are posted after its response with the new settings', async () => {
    const own = await openAccount();
    const [before, after] = [await startReceiver(), await startReceiver()];
    const { id } = await createWebhook(own.live, { url: before.url, events: ['moved'] });
    await update(id, { url: after.url }, own);
    await postEvent(own.live, 'moved');
    await after.received(1);
    expect(before.requests.length).to.equal(0);
  });

  it('begins no attempt after the response to a disabling, although many events wait', async () => {
    const own = await openAccount();
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 400));
    const { id } = await createWebhook(own.live, { url: receiver.url, events: ['paused'] });
    const posted = await Promise.all(Array.from({ length: 60 }, () => postEvent(own.live, 'paused')));
    await receiver.received(1);
    await update(id, { status: 'disabled' }, own);
    const answeredAt = Date.now();
    await Promise.all(
      posted.map((event) =>
        eventually(
          'the delivery ends',
          async () => {
            const found = read(await own.live.get(`/v1/events/${event.id}`), eventSchema);
            return found.deliveries.some(({ status }) => ['delivered', 'canceled'].includes(status)) || null;
          },
          endedMs,
        ),
      ),
    );
    expect(await begunAfter(own.live, receiver, answeredAt)).to.deep.equal([]);
  });

  it('delivers again after a webhook was enabled, and omits the events while it was disabled', async () => {
    const own = await openAccount();
    const receiver = await startReceiver();
    // Another webhook remains active. Once it has the event, the delivery group has handled the event.
    const witness = await startReceiver();
    await createWebhook(own.live, { url: witness.url, events: ['again'] });
    const { id } = await createWebhook(own.live, { url: receiver.url, events: ['again'] });
    await update(id, { status: 'disabled' }, own);
    await postEvent(own.live, 'again');
    await witness.received(1);
    await update(id, { status: 'active' }, own);
    const afterwards = await postEvent(own.live, 'again');
    await receiver.received(1);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([afterwards.id]);
  });
});
