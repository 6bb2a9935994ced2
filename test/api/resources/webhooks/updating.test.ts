import { expect } from 'chai';

import { eventSchema } from '../../../../api/resources/events/routes.js';
import { webhookSchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import { begunAfter } from '../../support/deliveries.js';
import { postEvent } from '../../support/events.js';
import { openLogReader, type LogReader } from '../../support/records.js';
import { createWebhook } from '../../support/webhooks.js';

/** The deadline for the ends of many deliveries on a busy machine, in milliseconds. */
const endedMs = 45_000;
const manyTypes = (count: number) => Array.from({ length: count }, (_, number) => `type.${number}`);

const daysAhead = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

const refusedBodies: readonly [what: string, body: unknown, apiError: string][] = [
  ['a number for url', { url: 1 }, '400 parameter_invalid url'],
  ['null for url', { url: null }, '400 parameter_invalid url'],
  ['an empty url', { url: '' }, '400 url_invalid url'],
  ['a url with credentials', { url: 'https://a:b@example.com' }, '400 url_invalid url'],
  ['a url with a fragment', { url: 'https://example.com/#a' }, '400 url_invalid url'],
  ['a url of 2,049 characters', { url: 'https://example.com/'.padEnd(2049, 'a') }, '400 url_invalid url'],
  ['null for events', { events: null }, '400 parameter_invalid events'],
  ['empty events', { events: [] }, '400 parameter_invalid events'],
  ['101 events', { events: manyTypes(101) }, '400 parameter_invalid events'],
  ['* with another type', { events: ['a', '*'] }, '400 parameter_invalid events'],
  ['a number among events', { events: ['a', 'b', 3] }, '400 parameter_invalid events[2]'],
  ['a malformed type among events', { events: ['a', 'b', 'c..d'] }, '400 event_type_invalid events[2]'],
  ['a number for description', { description: 1 }, '400 parameter_invalid description'],
  ['half a character in description', { description: '\udc00' }, '400 parameter_invalid description'],
  ['a name of 101 characters', { name: 'a'.repeat(101) }, '400 parameter_invalid name'],
  ['a number for mutedUntil', { mutedUntil: 1 }, '400 parameter_invalid mutedUntil'],
  ['a date for mutedUntil', { mutedUntil: '2026-11-25' }, '400 parameter_invalid mutedUntil'],
  ['a mute of more than 30 days', { mutedUntil: daysAhead(30.01) }, '400 parameter_invalid mutedUntil'],
  ['another status', { status: 'deleted' }, '400 parameter_invalid status'],
  ['null for status', { status: null }, '400 parameter_invalid status'],
  ['a field too many', { secret: 'whsec_x' }, '400 parameter_unknown secret'],
  ['a reason', { disabledReason: 'gone' }, '400 parameter_unknown disabledReason'],
  ['a list', [], '400 parameter_invalid'],
];

describe('PATCH /v1/webhooks/{id}', () => {
  const opened = createOpened();
  let account: TestAccount;
  let log: LogReader;
  before(async () => {
    account = await openAccount();
    log = await openLogReader(account.service, ['webhooks']);
    opened.add('log reader', log.close);
  });
  after(() => opened.releaseAll());

  const update = async (id: string, body: unknown, { live } = account) =>
    read(await live.patchJson(`/v1/webhooks/${id}`, body), webhookSchema.strict());

  const changesOf = async (id: string) =>
    (await log.recordsOf('webhooks', id)).slice(1).map(({ type, value }) => [
      type.slice('postrider.webhook.'.length),
      // The tests of the creation check the actor.
      JSON.parse(value, (name, member: unknown) => (name === 'actor' ? undefined : member)) as unknown,
    ]);

  it('returns the changed webhook', async () => {
    const { secret: _secret, ...created } = await createWebhook(account.live);
    const fields = { url: 'https://example.com/other', events: ['a', 'b'], description: 'Orders' };
    const updated = await update(created.id, fields);
    const found = read(await account.live.get(`/v1/webhooks/${created.id}`), webhookSchema.strict());
    expect([updated, found]).to.deep.equal([
      { ...created, ...fields },
      { ...created, ...fields },
    ]);
  });

  const muted = { mutedUntil: daysAhead(29.9) };
  const past = { mutedUntil: '2020-01-01T00:00:00.000Z' };
  const fields = [
    { url: 'https://example.com/other' },
    { events: ['b'] },
    { description: 'Orders' },
    { name: 'Shop' },
  ];
  for (const field of [...fields, muted, past]) {
    it(`changes ${Object.keys(field).join()} alone if it is the only field`, async () => {
      const { secret: _secret, ...created } = await createWebhook(account.live, { description: 'First' });
      expect(await update(created.id, field)).to.deep.equal({ ...created, ...field });
    });
  }

  it('removes the name and the mute with null', async () => {
    const { id } = await createWebhook(account.live, { name: 'Orders' });
    await update(id, muted);
    const { name, mutedUntil } = await update(id, { name: null, mutedUntil: null });
    expect([name, mutedUntil]).to.deep.equal([null, null]);
  });

  it('removes the description with null', async () => {
    const { id } = await createWebhook(account.live, { description: 'Orders' });
    expect((await update(id, { description: null })).description).to.equal(null);
  });

  it('records each field before and after the change', async () => {
    const { id, url } = await createWebhook(account.live);
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

  it('appends nothing if nothing changes', async () => {
    const { id, url } = await createWebhook(account.live);
    const unchanged = { url, events: ['*'], description: null, status: 'active' };
    await update(id, {});
    await update(id, unchanged);
    expect(await changesOf(id)).to.deep.equal([]);
  });

  it('disables and enables a webhook', async () => {
    const { id } = await createWebhook(account.live);
    const disabled = await update(id, { status: 'disabled' });
    const enabled = await update(id, { status: 'active' });
    expect([disabled, enabled].map(({ status, disabledReason }) => [status, disabledReason])).to.deep.equal([
      ['disabled', 'manual'],
      ['active', null],
    ]);
  });

  it('appends a change of settings together with a change of the status', async () => {
    const { id } = await createWebhook(account.live);
    await update(id, { description: 'Paused', status: 'disabled' });
    expect(await changesOf(id)).to.deep.equal([
      ['updated', { changes: { description: { from: null, to: 'Paused' } } }],
      ['disabled', { reason: 'manual', epoch: 0 }],
    ]);
  });

  it('gives each record of one change its own id, and all the same time', async () => {
    const { id } = await createWebhook(account.live);
    await update(id, { description: 'Paused', status: 'disabled' });
    const [, updated, disabled] = await log.recordsOf('webhooks', id);
    expect([updated?.id === disabled?.id, updated?.at === disabled?.at]).to.deep.equal([false, true]);
  });

  it('changes a disabled webhook without enabling it', async () => {
    const { id } = await createWebhook(account.live);
    await update(id, { status: 'disabled' });
    expect((await update(id, { description: 'Orders' })).status).to.equal('disabled');
  });

  for (const [what, body, apiError] of refusedBodies) {
    it(`rejects ${what}`, async () => {
      const { id } = await createWebhook(account.test);
      expect(refusalOf(await account.test.patchJson(`/v1/webhooks/${id}`, body))).to.equal(apiError);
    });
  }

  it('checks the body before it looks for the webhook', async () => {
    expect(refusalOf(await account.live.patchJson('/v1/webhooks/wh_1', { url: '' }))).to.equal(
      '400 url_invalid url',
    );
  });

  it('answers 404 for a webhook that is deleted, unknown, of another account or of the other mode', async () => {
    const [mine, deleted] = [await createWebhook(account.live), await createWebhook(account.live)];
    await account.live.delete(`/v1/webhooks/${deleted.id}`);
    const other = await openAccount();
    const answers = await Promise.all([
      account.live.patchJson(`/v1/webhooks/${deleted.id}`, {}),
      other.live.patchJson(`/v1/webhooks/${mine.id}`, {}),
      account.test.patchJson(`/v1/webhooks/${mine.id}`, {}),
      account.live.patchJson('/v1/webhooks/wh_01HZZZZZZZZZZZZZZZZZZZZZZZ', {}),
      account.live.patchJson('/v1/webhooks/wh_1', {}),
    ]);
    expect(answers.map(refusalOf)).to.deep.equal(Array.from({ length: 5 }, () => '404 resource_missing'));
  });

  it('delivers events that are posted after its response with the new settings', async () => {
    const own = await openAccount();
    const [before, after] = [await startReceiver(), await startReceiver()];
    opened.add('receiver', before.close);
    opened.add('receiver', after.close);
    const { id } = await createWebhook(own.live, { url: before.url, events: ['moved'] });
    await update(id, { url: after.url }, own);
    await postEvent(own.live, 'moved');
    await after.received(1);
    expect(before.requests.length).to.equal(0);
  });

  it('begins no attempt after the response to a disabling, although many events wait', async () => {
    const own = await openAccount();
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 400));
    opened.add('receiver', receiver.close);
    const { id } = await createWebhook(own.live, { url: receiver.url, events: ['paused'] });
    const posted = await Promise.all(Array.from({ length: 150 }, () => postEvent(own.live, 'paused')));
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

  it('delays the response to a disabling for 250 ms, until every attempt uses the new state', async () => {
    const took: number[] = [];
    while (took.length < 3) {
      const { id } = await createWebhook(account.live);
      const begin = performance.now();
      await update(id, { status: 'disabled' });
      took.push(performance.now() - begin);
    }
    expect(Math.min(...took)).to.be.at.least(250);
  });

  it('delivers again after a webhook was enabled, and omits the events while it was disabled', async () => {
    const own = await openAccount();
    const receiver = await startReceiver();
    opened.add('receiver', receiver.close);
    // Another webhook remains active. Once it has the event, the delivery group has handled the event.
    const witness = await startReceiver();
    opened.add('receiver', witness.close);
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
