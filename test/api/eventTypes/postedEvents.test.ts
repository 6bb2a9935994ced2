import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { eventListSchema, eventSchema } from '../../../api/resources/events/routes.js';
import { eventually } from '../../support/eventually.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { postBatch, summaryOf } from '../support/batches.js';
import {
  call,
  createClient,
  errorOf,
  getCurrent,
  read,
  refusalOf,
  type Client,
  type Response,
} from '../support/client.js';
import { postEvent } from '../support/events.js';

const schema = {
  type: 'object',
  required: ['amount'],
  properties: {
    amount: { type: 'integer', minimum: 1 },
    items: { items: { properties: { price: { minimum: 0 } } } },
  },
};

/** A schema whose check of nested data takes twice as long with each level. */
const exponential = {
  $defs: {
    node: {
      properties: { next: { anyOf: [{ $ref: '#/$defs/node', required: ['no'] }, { $ref: '#/$defs/node' }] } },
    },
  },
  $ref: '#/$defs/node',
};

/** Repeats what is checked with `warn`. Such a check is skipped if its worker is busy for 100 ms. */
function untilChecked<Result>(post: () => Promise<Result>): Promise<Result> {
  return eventually('a check that is not skipped', post);
}

function nested(depth: number): unknown {
  return depth === 0 ? {} : { next: nested(depth - 1) };
}

describe('posted events of a type with a schema', () => {
  let account: TestAccount;
  let name = '';
  before(async () => {
    account = await openAccount();
  });
  beforeEach(() => {
    name = `order.n${randomUUID().replaceAll('-', '')}`;
  });

  const put = async (validation: string, given: unknown = schema, type = name) => {
    const headers = { authorization: `Bearer ${account.liveKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ schema: given, validation });
    const path = `/v1/event-types/${type}`;
    const response = await call(account.service.address, path, { method: 'PUT', headers, body });
    expect(response.status, response.text).to.be.oneOf([200, 201]);
  };

  /** Posts the data in each format, and returns the responses of single events. */
  const single: Readonly<Record<string, (client: Client, data: unknown) => Promise<Response>>> = {
    'a JSON body': (client, data) => client.postJson('/v1/events', { type: name, data }),
    'a structured CloudEvent': (client, data) => {
      const event = { specversion: '1.0', id: randomUUID(), source: '/s', type: name, data };
      return client.post('/v1/events', JSON.stringify(event), {
        'content-type': 'application/cloudevents+json',
      });
    },
    'a binary CloudEvent': (client, data) => {
      const headers = { 'ce-specversion': '1.0', 'ce-id': randomUUID(), 'ce-source': '/s', 'ce-type': name };
      return client.postJson('/v1/events', data, headers);
    },
  };

  it('in each format are rejected with the place of the failure, or accepted with the result', async () => {
    await put('reject');
    for (const [format, post] of Object.entries(single)) {
      const accepted = read(await post(account.live, { amount: 3 }), eventSchema);
      expect(accepted.validation, format).to.deep.equal({ status: 'valid', param: null, message: null });
      expect(refusalOf(await post(account.live, {})), format).to.equal('400 event_data_invalid data.amount');
      const deep = await post(account.live, { amount: 1, items: [{}, { price: -1 }] });
      expect(errorOf(deep).param, format).to.equal('data.items[1].price');
    }
    // Test mode has its own types.
    expect((await postEvent(account.test, name, {})).validation).to.equal(null);
    await put('warn');
    await untilChecked(async () => {
      const warned = await postEvent(account.live, name, { amount: 0 });
      expect(warned.validation).to.deep.include({ status: 'invalid', param: 'data.amount' });
    });
    await put('off');
    expect((await postEvent(account.live, name, { amount: 0 })).validation).to.equal(null);
  });

  it('in a batch fail one by one, and each error names the place in the batch', async () => {
    await put('reject');
    const events = [{ amount: 1 }, { amount: 1.5 }, {}, { amount: 2 }].map((data) => ({ type: name, data }));
    const results = await postBatch(account.live, events);
    expect(summaryOf(results)).to.deep.equal([
      name,
      'event_data_invalid events[1].data.amount',
      'event_data_invalid events[2].data.amount',
      name,
    ]);
  });

  it('that are too complex are rejected, or recorded as unknown', async () => {
    await put('reject', exponential);
    const data = nested(60);
    expect(refusalOf(await account.live.postJson('/v1/events', { type: name, data }))).to.equal(
      '400 event_data_invalid data',
    );
    await put('warn', exponential);
    await untilChecked(async () => {
      const warned = read(await account.live.postJson('/v1/events', { type: name, data }), eventSchema);
      expect(warned.validation).to.deep.include({ status: 'unknown', param: 'data' });
    });
  });

  it('compare every digit of a number', async () => {
    await put('reject', { properties: { amount: { maximum: 0.5 }, id: { const: 0 } } });
    const body = (data: string) => `{"type":"${name}","data":${data}}`;
    const json = { 'content-type': 'application/json' };
    const above = await account.live.post('/v1/events', body('{"amount":0.50000000000000000001}'), json);
    expect(refusalOf(above)).to.equal('400 event_data_invalid data.amount');
    const name1 = await account.live.post(
      '/v1/events',
      body('{"__proto__":{"amount":1},"amount":0.5}'),
      json,
    );
    expect(name1.status).to.equal(201);
  });

  it('are found by the filter `validation`, and show their result later', async () => {
    await put('warn');
    const [valid, invalid] = await untilChecked(async () => {
      const posted = await postBatch(account.live, [
        { type: name, data: { amount: 1 } },
        { type: name, data: { amount: 0 } },
      ]);
      const [one = '', other = ''] = posted.map((result) => result.event?.id ?? '');
      const shown = read(await getCurrent(account.live, `/v1/events/${other}`), eventSchema);
      expect(shown.validation).to.deep.include({ status: 'invalid', param: 'data.amount' });
      const later = read(await getCurrent(account.live, `/v1/events/${one}`), eventSchema);
      expect(later.validation).to.deep.include({ status: 'valid' });
      return [one, other] as const;
    });
    for (const query of ['validation=invalid', `validation=invalid&type=${name}`]) {
      const { data } = read(await account.live.get(`/v1/events?${query}&limit=1`), eventListSchema);
      expect(data.map(({ id }) => id)).to.deep.equal([invalid]);
    }
    const unknown = read(
      await account.live.get(`/v1/events?validation=unknown&type=${name}`),
      eventListSchema,
    );
    expect(unknown.data.filter(({ id }) => id === valid || id === invalid)).to.deep.equal([]);
  });

  it('keep the answers of the first request after the schema became stricter', async () => {
    await put('warn');
    const key = { 'idempotency-key': randomUUID() };
    const events = [0, 1].map((amount) => ({ type: name, data: { amount }, idempotencyKey: randomUUID() }));
    const first = await postBatch(account.live, events, key);
    await put('reject', { properties: { amount: { minimum: 100 } } });
    expect(await postBatch(account.live, events, key)).to.deep.equal(first);
    expect(await postBatch(account.live, events)).to.deep.equal(first);
  });

  it('can be corrected with the same idempotency key', async () => {
    await put('reject');
    const idempotencyKey = randomUUID();
    const [rejected] = await postBatch(account.live, [{ type: name, data: { amount: 0 }, idempotencyKey }]);
    expect(rejected).to.have.property('error');
    const [accepted] = await postBatch(account.live, [{ type: name, data: { amount: 1 }, idempotencyKey }]);
    expect(accepted).to.have.property('event');
    const headers = { 'idempotency-key': randomUUID() };
    const one = (amount: number) =>
      account.live.postJson('/v1/events', { type: name, data: { amount } }, headers);
    expect(refusalOf(await one(0))).to.equal('400 event_data_invalid data.amount');
    expect((await one(1)).status).to.equal(201);
  });

  it('are checked by each API process as soon as a PUT is answered', async () => {
    const another = await startAnotherApi(account.service);
    const client = createClient(another.address, account.liveKey);
    for (let minimum = 1; minimum <= 3; minimum += 1) {
      await put('reject', { properties: { amount: { minimum } } });
      const [below, above] = await Promise.all(
        [minimum - 1, minimum].map((amount) =>
          client.postJson('/v1/events', { type: name, data: { amount } }),
        ),
      );
      expect(below && refusalOf(below)).to.equal('400 event_data_invalid data.amount');
      expect(above?.status).to.equal(201);
    }
  });
});
