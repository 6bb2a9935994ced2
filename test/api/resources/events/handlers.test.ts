import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../../api/resources/events/routes.js';
import { identifierTime, isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { getCurrent, read, refusalOf } from '../../support/client.js';
import { postEvent, takenUpEvent } from '../../support/events.js';

const validTypes = [
  'a',
  'A',
  '_',
  '0',
  'order.completed',
  'user.signup',
  'a.b.c.d',
  '1.2',
  '__',
  'a'.repeat(128),
  'a.'.repeat(63) + 'ab',
];
const invalidTypes = [
  '',
  '.',
  '..',
  'a.',
  '.a',
  'a..b',
  'a b',
  ' a',
  'a ',
  'a\n',
  'a-b',
  'a/b',
  'a:b',
  'a*',
  '*',
  'order.*',
  'é',
  'ａ',
  'a\u0000',
  'a\u200b',
  '😀',
  '\ud800',
  'a'.repeat(129),
  'a.'.repeat(64) + 'a',
];

const refusedBodies: readonly [what: string, body: unknown, apiError: string][] = [
  ['no type', { data: {} }, '400 parameter_missing type'],
  ['no data', { type: 'a' }, '400 parameter_missing data'],
  ['nothing', {}, '400 parameter_missing type'],
  ['a number for type', { type: 1, data: {} }, '400 parameter_invalid type'],
  ['null for type', { type: null, data: {} }, '400 parameter_invalid type'],
  ['a list for type', { type: ['a'], data: {} }, '400 parameter_invalid type'],
  ['an object for type', { type: { $ne: null }, data: {} }, '400 parameter_invalid type'],
  ['a text for data', { type: 'a', data: '{}' }, '400 parameter_invalid data'],
  ['a number for data', { type: 'a', data: 1 }, '400 parameter_invalid data'],
  ['a list for data', { type: 'a', data: [] }, '400 parameter_invalid data'],
  ['null for data', { type: 'a', data: null }, '400 parameter_invalid data'],
  ['true for data', { type: 'a', data: true }, '400 parameter_invalid data'],
  ['a field too many', { type: 'a', data: {}, extra: 1 }, '400 parameter_unknown extra'],
  ['an id', { type: 'a', data: {}, id: 'evt_1' }, '400 parameter_unknown id'],
  ['a mode', { type: 'a', data: {}, mode: 'live' }, '400 parameter_unknown mode'],
  ['a field in another case', { Type: 'a', type: 'a', data: {} }, '400 parameter_unknown Type'],
  ['a field without a name', { type: 'a', data: {}, '': 1 }, '400 parameter_unknown '],
];

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

  it('gives the event a new id', async () => {
    expect(isIdentifier('evt', (await postEvent(account.live)).id)).to.equal(true);
  });

  it('gives the event the time in its id', async () => {
    const { id, created } = await postEvent(account.live);
    expect(created).to.equal(identifierTime(id).toISOString());
  });

  it('returns the path of the event', async () => {
    const response = await account.live.postJson('/v1/events', { type: 'a', data: {} });
    expect(response.headers.location).to.equal(`/v1/events/${read(response, eventSchema).id}`);
  });

  it('makes events readable at once, also if many are posted together', async () => {
    const events = await Promise.all(Array.from({ length: 50 }, () => postEvent(account.live)));
    const found = await Promise.all(events.map(({ id }) => getCurrent(account.live, `/v1/events/${id}`)));
    expect(found.map(({ status }) => status)).to.deep.equal(found.map(() => 200));
  });

  for (const type of validTypes) {
    it(`accepts the type ${type.slice(0, 40)} of ${type.length} characters`, async () => {
      expect((await postEvent(account.live, type)).type).to.equal(type);
    });
  }

  for (const type of invalidTypes) {
    it(`rejects the type ${JSON.stringify(type.slice(0, 40))} of ${type.length} characters`, async () => {
      const response = await account.live.postJson('/v1/events', { type, data: {} });
      expect(refusalOf(response)).to.equal('400 event_type_invalid type');
    });
  }

  for (const [what, body, apiError] of refusedBodies) {
    it(`rejects ${what}`, async () => {
      expect(refusalOf(await account.live.postJson('/v1/events', body))).to.equal(apiError);
    });
  }

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

  it('answers 404 for an unknown id', async () => {
    const response = await account.live.get('/v1/events/evt_01HZZZZZZZZZZZZZZZZZZZZZZZ');
    expect(refusalOf(response)).to.equal('404 resource_missing');
  });

  it('answers 404 for an event of another account', async () => {
    const { id } = await postEvent((await openAccount()).live);
    expect(refusalOf(await account.live.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('answers 404 to a test key for a live event', async () => {
    const { id } = await postEvent(account.live);
    expect(refusalOf(await account.test.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('answers 404 to a live key for a test event', async () => {
    const { id } = await postEvent(account.test);
    expect(refusalOf(await account.live.get(`/v1/events/${id}`))).to.equal('404 resource_missing');
  });

  it('shows the mode of a test event', async () => {
    const { id } = await postEvent(account.test);
    const shown = read(await getCurrent(account.test, `/v1/events/${id}`), eventSchema);
    expect(shown.mode).to.equal('test');
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

  it('shows the deliveries of a test event as complete at once', async () => {
    const { id, deliveriesComplete } = await postEvent(account.test);
    const shown = read(await getCurrent(account.test, `/v1/events/${id}`), eventSchema);
    expect([deliveriesComplete, shown.deliveriesComplete]).to.deep.equal([true, true]);
  });

  it('shows a delivery after its first attempt', async () => {
    const receiver = await startReceiver();
    try {
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
    } finally {
      await receiver.close();
    }
  });
});
