import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import { identifierTime, isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { getCurrent, read, refusalOf } from '../../support/client.js';
import { postEvent, takenUpEvent } from '../../support/events.js';

describe('POST /v1/events', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('answers 201 with the event', async () => {
    const response = await account.live.postJson('/v1/events', {
      type: 'order.completed',
      data: { amount: 1 },
    });
    const { id, created, ...event } = read(response, eventSchema);
    expect([response.status, event]).to.deep.equal([
      201,
      {
        type: 'order.completed',
        tenantId: null,
        data: { amount: 1 },
        deliveries: [],
        deliveriesComplete: false,
        validation: null,
        mode: 'live',
      },
    ]);
  });

  it('gives the event a new id with its time, and returns its path', async () => {
    const response = await account.live.postJson('/v1/events', { type: 'a', data: {} });
    const { id, created } = read(response, eventSchema);
    expect([isIdentifier('evt', id), created]).to.deep.equal([true, identifierTime(id).toISOString()]);
    expect(response.headers.location).to.equal(`/v1/events/${id}`);
  });

  it('makes events readable at once, also if many are posted together', async () => {
    const events = await Promise.all(Array.from({ length: 50 }, () => postEvent(account.live)));
    const found = await Promise.all(events.map(({ id }) => getCurrent(account.live, `/v1/events/${id}`)));
    expect(found.map(({ status }) => status)).to.deep.equal(found.map(() => 200));
  });

  it('validates its body', async () => {
    for (const [body, refusal] of [
      [{ type: 'a' }, '400 parameter_missing data'],
      [{ type: 'a..b', data: {} }, '400 event_type_invalid type'],
    ] as const) {
      expect(refusalOf(await account.live.postJson('/v1/events', body))).to.equal(refusal);
    }
  });

  it('rejects a query parameter', async () => {
    const response = await account.live.postJson('/v1/events?dryRun=true', { type: 'a', data: {} });
    expect(refusalOf(response)).to.equal('400 parameter_unknown dryRun');
  });
});

describe('GET /v1/events/{id}', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  it('returns the event in the form of its creation', async () => {
    const created = await account.live.post('/v1/events', '{"type":"a","data":{"b":1.0,"a":[ ]}}');
    const { id } = read(created, eventSchema);
    await takenUpEvent(account.live, id);
    const { text } = await getCurrent(account.live, `/v1/events/${id}`);
    expect(text).to.equal(created.text.replace('"deliveriesComplete":false', '"deliveriesComplete":true'));
  });

  it('shows the deliveries of an event without webhooks as complete, in the list too', async () => {
    const { id } = await postEvent(account.live, 'for.nobody');
    const event = await takenUpEvent(account.live, id);
    const { data } = read(await account.live.get('/v1/events?type=for.nobody'), eventListSchema);
    expect([event.deliveries, data.map(({ deliveriesComplete }) => deliveriesComplete)]).to.deep.equal([
      [],
      [true],
    ]);
  });

  it('shows the mode of a test event, and its deliveries as complete at once', async () => {
    const { id, deliveriesComplete } = await postEvent(account.test);
    const shown = read(await getCurrent(account.test, `/v1/events/${id}`), eventSchema);
    expect([deliveriesComplete, shown.deliveriesComplete, shown.mode]).to.deep.equal([true, true, 'test']);
  });

  it('shows a delivery after its first attempt', async () => {
    const receiver = await startReceiver();
    const webhook = await account.live.postJson('/v1/webhooks', { url: receiver.url, events: ['shown'] });
    const { id } = await postEvent(account.live, 'shown');
    const [delivery] = await eventually('the delivery is shown', async () => {
      const { deliveries } = read(await account.live.get(`/v1/events/${id}`), eventSchema);
      return deliveries.some(({ status }) => status !== 'pending') ? deliveries : null;
    });
    const { deliveredAt, ...rest } = delivery ?? {};
    expect([webhook.status, rest]).to.deep.equal([
      201,
      {
        webhookId: String(webhook.headers.location).replace('/v1/webhooks/', ''),
        status: 'delivered',
        statusCode: 200,
        attemptCount: 1,
        nextAttemptAt: null,
        error: null,
      },
    ]);
  });
});
