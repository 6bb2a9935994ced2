import { expect } from 'chai';
import getPort from 'get-port';

import { createDriver } from './support/driver.js';
import { type Fault, type SeenRequest, startFaultProxy } from './support/faultProxy.js';
import {
  answer,
  answerAfter,
  cutBody,
  dropAfter,
  dropBefore,
  errorText,
  hangAfter,
  hangBefore,
  hangInBody,
  trickle,
} from './support/faults.js';
import { testLibraries } from './support/testLibraries.js';

const page = '<html><body><h1>502 Bad Gateway</h1></body></html>';
const html = { 'content-type': 'text/html' };
const unavailable = errorText('api_error', 'service_unavailable');
const limited = errorText('rate_limit_error', 'rate_limit_exceeded');
const deliveriesUnknown = errorText('invalid_request_error', 'deliveries_unknown');
const keyInUse = errorText('idempotency_error', 'idempotency_key_in_use');

/** Faults after which a library sends the request again. */
const temporary: Readonly<Record<string, Fault>> = {
  'a connection that is lost before the effect': dropBefore,
  'a connection that is lost after the effect': dropAfter,
  'a body that is cut off': cutBody,
  'a 429': answer(429, limited),
  'a 408': answer(408, errorText('invalid_request_error', 'request_timeout')),
  'a 409 of a key in use': answer(409, keyInUse),
  'a 409 of deliveries that are not known yet': answer(409, deliveriesUnknown),
  'a 500 before the effect': answer(500, errorText('api_error', 'internal_error')),
  'a 503 after the effect': answerAfter(503, unavailable),
  'a page of a load balancer': answerAfter(502, page, html),
  'a 504 without a body': answerAfter(504, '', { 'content-type': 'text/plain' }),
};

/** Faults that end with the timeout. */
const slow: Readonly<Record<string, Fault>> = {
  'no answer before the effect': hangBefore,
  'no answer after the effect': hangAfter,
  'half a body and silence': hangInBody,
  'a body that arrives slowly': trickle(50),
};
/** On a busy machine an answer may take longer than the timeout. */
const patient = { timeoutMs: 3000, maxRetries: 5 };

/** Answers that a library does not ask for again. */
const final: Readonly<Record<string, Fault>> = {
  'a 400': answer(400, errorText('invalid_request_error', 'parameter_invalid')),
  'a 401': answer(401, errorText('authentication_error', 'api_key_invalid')),
  'a 403': answer(403, errorText('permission_error', 'insufficient_scope')),
  'a 409 that no repetition changes': answer(409, errorText('invalid_request_error', 'webhook_disabled')),
  'a 422': answer(422, errorText('idempotency_error', 'idempotency_key_reused')),
  'malformed JSON with a 2xx': answerAfter(201, '{"id": "evt_'),
};

const keysOf = (requests: readonly SeenRequest[]) => [
  ...new Set(requests.map(({ headers }) => String(headers['idempotency-key']))),
];

/** Timers of a library may be ahead of the clock of the proxy by a little. */
const clockMs = 50;

let created = 0;
/** Data that no other event has. */
const marked = () => {
  const mark = `mark-${String(process.pid)}-${String(created++)}-`;
  return { mark, event: { type: 'order.completed', data: { mark } } };
};

testLibraries('calls', (bench) => {
  const settings = (more = {}) => ({ ...bench().settings, ...more });

  for (const [name, fault] of Object.entries({ ...temporary, ...slow })) {
    it(`have one effect with one key after ${name}`, async () => {
      const { proxy, driver, recordedIds } = bench();
      proxy.plan(fault);
      const { mark, event } = marked();

      const { id } = await driver.call('events.create', event, settings(name in slow ? patient : {}));

      expect(proxy.failures).to.deep.equal([]);
      expect(proxy.requests).to.have.lengthOf.at.least(2);
      expect(keysOf(proxy.requests)).to.have.lengthOf(1).and.to.not.include('undefined');
      expect(await recordedIds(mark)).to.deep.equal([id]);
    });
  }

  it('have one effect if all attempts fail after it', async () => {
    const { proxy, driver, recordedIds } = bench();
    proxy.plan(dropAfter, cutBody, dropAfter);
    const { mark, event } = marked();

    const { type, status } = await driver.fail('events.create', event, settings());

    expect({ type, status, requests: proxy.requests.length }).to.deep.equal({
      type: 'connection_error',
      status: null,
      requests: 3,
    });
    expect(await recordedIds(mark)).to.have.lengthOf(1);
  });

  for (const maxRetries of [0, 1, 3]) {
    it(`are repeated ${String(maxRetries)} times if the client says so`, async () => {
      const { proxy, driver } = bench();
      proxy.plan(...Array.from({ length: 5 }, () => answer(503, unavailable)));
      const error = await driver.fail('events.create', marked().event, settings({ maxRetries }));
      expect({ type: error.type, requests: proxy.requests.length }).to.deep.equal({
        type: 'api_error',
        requests: maxRetries + 1,
      });
    });
  }

  for (const [name, fault] of Object.entries(final)) {
    it(`are not repeated after ${name}`, async () => {
      const { proxy, driver } = bench();
      proxy.plan(fault);
      await driver.fail('events.create', marked().event, settings());
      expect(proxy.requests).to.have.lengthOf(1);
    });
  }

  it('have a key each, unless one is given', async () => {
    const { proxy, driver } = bench();
    proxy.plan();
    const { event } = marked();
    const first = await driver.call('events.create', event, settings());
    const second = await driver.call('events.create', event, settings());
    const given = { ...event, idempotencyKey: `order 1 of ${bench().library.name}` };
    const third = await driver.call('events.create', given, settings());
    const repeated = await driver.call('events.create', given, settings());

    expect(new Set([first.id, second.id, third.id])).to.have.lengthOf(3);
    expect(repeated.id).to.equal(third.id);
    expect(keysOf(proxy.requests)).to.have.lengthOf(3).and.to.include(given.idempotencyKey);
  });

  it('create, change and delete a webhook, each after a lost connection', async () => {
    const { proxy, driver, client } = bench();
    const url = 'https://example.com/hook';
    proxy.plan(dropAfter);
    const webhook = await driver.call('webhooks.create', { url, events: ['order.*'] }, settings());
    const { body } = await client.get('/v1/webhooks');
    expect(body['data']).to.have.lengthOf(1);
    expect(webhook).to.deep.include({ url, events: ['order.*'], status: 'active', description: null });
    expect(webhook.secret).to.match(/^whsec_/);

    const { id } = webhook;
    proxy.plan(dropAfter);
    const changes = { description: 'Orders', events: ['*'] };
    expect(await driver.call('webhooks.update', { id, changes }, settings())).to.deep.include(changes);
    proxy.plan(dropAfter);
    expect(await driver.call('webhooks.retrieve', { id }, settings())).to.deep.include({ id, ...changes });
    // A description that is null is removed, and an absent one stays.
    const removed = { description: null };
    expect(await driver.call('webhooks.update', { id, changes: removed }, settings())).to.deep.include({
      ...changes,
      ...removed,
    });
    proxy.plan(dropAfter);
    expect(await driver.call('webhooks.delete', { id }, settings())).to.deep.include({ id, deleted: true });
    expect((await client.get(`/v1/webhooks/${id}`)).status).to.equal(404);
  });

  it('of a dry run say so in the query or in the body', async () => {
    const { proxy, driver, client } = bench();
    const { body } = await client.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] });
    const webhookId = String(body['id']);
    proxy.plan();
    const name = 'order.refunded';
    await driver.call('eventTypes.dryRun', { name, schema: { type: 'object' } }, settings());
    const since = '2026-01-01T00:00:00Z';
    await driver.call('replays.dryRun', { webhookId, since, only: 'all' }, settings());
    await client.delete(`/v1/webhooks/${webhookId}`);
    const [ofType, ofReplay] = proxy.requests;
    expect(ofType?.path).to.equal(`/v1/event-types/${name}?dryRun=true`);
    expect(JSON.parse(String(ofReplay?.body))).to.deep.equal({ webhookId, since, only: 'all', dryRun: true });
  });

  describe('wait as the service says', () => {
    for (const status of [429, 503]) {
      it(`with a ${String(status)} and seconds`, async () => {
        const { proxy, driver } = bench();
        proxy.plan(answer(status, status === 429 ? limited : unavailable, { 'retry-after': '3' }));
        await driver.call('events.create', marked().event, settings());
        const [first, second] = proxy.requests;
        expect(Number(second?.at) - Number(first?.at)).to.be.at.least(3000 - clockMs);
      });

      it(`with a ${String(status)} and a date`, async () => {
        const { proxy, driver } = bench();
        let until = '';
        proxy.plan((exchange) => {
          until = new Date(Date.now() + 4000).toUTCString();
          const body = status === 429 ? limited : unavailable;
          return answer(status, body, { 'retry-after': until })(exchange);
        });
        await driver.call('events.create', marked().event, settings());
        expect(proxy.requests[1]?.at).to.be.at.least(Date.parse(until) - clockMs);
      });
    }

    it('but neither for an hour nor without a number', async () => {
      const { proxy, driver } = bench();
      for (const wait of ['3600', new Date(Date.now() + 3_600_000).toUTCString(), 'soon', '-1']) {
        proxy.plan(answer(429, limited, { 'retry-after': wait }));
        const once = settings({ maxRetries: 0 });
        expect(await driver.fail('events.create', marked().event, once)).to.include({ status: 429 });
      }
      for (const wait of ['soon', '-1', new Date(0).toUTCString()]) {
        proxy.plan(answer(429, limited, { 'retry-after': wait }));
        await driver.call('events.create', marked().event, settings());
      }
    });
  });

  describe('go to no other host', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`after a ${String(status)}`, async () => {
        const { proxy, driver, service } = bench();
        const other = await startFaultProxy(service.address);
        const fault = answer(status, '', { location: `${other.address}/v1/events` });
        proxy.plan(fault, fault);
        const errors = [
          await driver.fail('events.create', marked().event, settings()),
          await driver.fail('events.list', {}, settings()),
        ];
        expect(errors.map((error) => [error.type, error.status])).to.deep.equal([
          ['invalid_response_error', status],
          ['invalid_response_error', status],
        ]);
        expect(other.requests).to.deep.equal([]);
      });
    }
  });

  it('take the address and the key from the environment', async () => {
    const { proxy, apiKey, library } = bench();
    const environment = { POSTRIDER_URL: `${proxy.address}/`, POSTRIDER_API_KEY: apiKey };
    proxy.plan();
    await createDriver(library.program, environment).call('events.create', marked().event);
    expect(proxy.requests.map(({ path, headers }) => [path, headers.authorization])).to.deep.equal([
      ['/v1/events', `Bearer ${apiKey}`],
    ]);
  });

  it('need a key', async () => {
    const { proxy, library } = bench();
    const driver = createDriver(library.program, { POSTRIDER_URL: proxy.address, POSTRIDER_API_KEY: '' });
    proxy.plan();
    for (const given of [{}, { apiKey: '' }]) {
      const { type, message } = await driver.fail('events.create', marked().event, given);
      expect(type, message).to.equal('argument_error');
    }
    expect(proxy.requests).to.deep.equal([]);
  });

  it('name the address if nothing listens there', async () => {
    const address = `127.0.0.1:${String(await getPort({ host: '127.0.0.1' }))}`;
    const { driver } = bench();
    const given = settings({ baseUrl: `http://${address}` });
    const { type, status, message } = await driver.fail('events.list', {}, given);
    expect({ type, status }).to.deep.equal({ type: 'connection_error', status: null });
    expect(message).to.include(address);
  });
});
