import { expect } from 'chai';

import type { Arguments, Command, Settings } from './protocol.js';
import { answer, changed, dropBefore, errorText } from './support/faults.js';
import type { Fault } from './support/faultProxy.js';
import { type Bench, testLibraries } from './support/testLibraries.js';

interface Rejection<Name extends Command = Command> {
  readonly command: Name;
  readonly given: Arguments[Name];
  readonly settings?: Settings;
  /** `type` and `code` of the error, the `param` and the status. */
  readonly expected: readonly [type: string, code: string, param: string | null, status: number];
}

const rejection = <Name extends Command>(one: Rejection<Name>) => one;
const event = { type: 'order.completed', data: {} };
const idempotencyKey = 'used';

/** Calls that the real service rejects. */
const rejections = async ({ client, settings }: Bench): Promise<readonly Rejection[]> => {
  await client.post('/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] });
  const scoped = await client.post('/v1/api-keys', { name: 'Reader', scopes: ['events:read'] });
  return [
    rejection({
      command: 'events.create',
      given: { type: 'order completed', data: {} },
      expected: ['invalid_request_error', 'event_type_invalid', 'type', 400],
    }),
    rejection({
      command: 'webhooks.create',
      given: { url: 'nowhere', events: ['*'] },
      expected: ['invalid_request_error', 'url_invalid', 'url', 400],
    }),
    rejection({
      command: 'events.list',
      given: { limit: 101 },
      expected: ['invalid_request_error', 'parameter_invalid', 'limit', 400],
    }),
    rejection({
      command: 'events.retrieve',
      given: { id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5' },
      expected: ['invalid_request_error', 'resource_missing', null, 404],
    }),
    rejection({
      command: 'webhooks.delete',
      given: { id: 'an/id?with=other#signs' },
      expected: ['invalid_request_error', 'resource_missing', null, 404],
    }),
    rejection({
      command: 'events.create',
      given: { type: 'order.completed', data: { text: 'x'.repeat(300 * 1024) } },
      expected: ['invalid_request_error', 'payload_too_large', null, 413],
    }),
    rejection({
      command: 'events.list',
      given: {},
      settings: { ...settings, apiKey: 'sk_live_unknown' },
      expected: ['authentication_error', 'api_key_invalid', null, 401],
    }),
    rejection({
      command: 'events.create',
      given: event,
      settings: { ...settings, apiKey: String(scoped.body['secret']) },
      expected: ['permission_error', 'insufficient_scope', null, 403],
    }),
    rejection({
      command: 'events.create',
      given: { type: 'order.refunded', data: {}, idempotencyKey },
      expected: ['idempotency_error', 'idempotency_key_reused', null, 422],
    }),
  ];
};

/** Answers in the form of the API, and the type of the error. */
const answers: Readonly<Record<string, readonly [status: number, body: string, type: string]>> = {
  'a 429': [429, errorText('rate_limit_error', 'rate_limit_exceeded'), 'rate_limit_error'],
  'a 409 of a key in use': [
    409,
    errorText('idempotency_error', 'idempotency_key_in_use'),
    'idempotency_error',
  ],
  'a 500': [500, errorText('api_error', 'internal_error'), 'api_error'],
  'a 503': [503, errorText('api_error', 'service_unavailable'), 'api_error'],
  'a later code': [400, errorText('invalid_request_error', 'later_code'), 'invalid_request_error'],
  'a later type of 4xx': [402, errorText('payment_error', 'card_declined'), 'invalid_request_error'],
  'a later type of 5xx': [500, errorText('region_error', 'region_unavailable'), 'api_error'],
};

const html = { 'content-type': 'text/html; charset=utf-8' };
const json = { 'content-type': 'application/json' };

/** Answers that the API never sends. Each body has the text "Example" near its beginning. */
const malformed: Readonly<Record<string, readonly [status: number, body: string, headers: typeof html]>> = {
  'a page with a 200': [200, '<html><h1>Example</h1></html>', html],
  'a page with a 403': [403, '<html><h1>Example</h1></html>', html],
  'a page with a 502': [502, '<html><h1>Example</h1></html>', html],
  'half of an event': [200, '{"id":"Example', json],
  'a text instead of an object': [200, '"Example"', json],
  'a list instead of an object': [200, '["Example"]', json],
  'JSON that is no error of the API': [404, '{"error":"Example"}', json],
  'JSON that is no error of the API, with a 500': [500, '{"message":"Example"}', json],
};

testLibraries('errors', (bench) => {
  it('have all fields of the response', async () => {
    const { driver, proxy, settings } = bench();
    await driver.call('events.create', { ...event, idempotencyKey }, settings);
    for (const one of await rejections(bench())) {
      let text = '';
      proxy.plan(changed((body) => (text = body)));
      const found = await driver.fail(one.command, one.given, one.settings ?? settings);

      const [type, code, param, status] = one.expected;
      const { error } = JSON.parse(text) as { error: Record<string, string> };
      const { requestId, message = '' } = error;
      expect({ ...found, message: '' }, text).to.deep.equal({
        ...{ type, code, param, status, requestId, message: '' },
      });
      expect(found.message).to.include(message);
    }
  });

  const onlyAnswer = (fault: Fault) => {
    const { driver, proxy, settings } = bench();
    proxy.plan(fault);
    return driver.fail('events.retrieve', { id: 'evt_1' }, { ...settings, maxRetries: 0 });
  };

  for (const [name, [status, body, type]] of Object.entries(answers)) {
    it(`tell ${name} by its class`, async () => {
      const { error } = JSON.parse(body) as { error: { code: string; message: string } };
      const { message, ...found } = await onlyAnswer(answer(status, body));
      const { code } = error;
      expect(found).to.deep.equal({ type, code, param: null, requestId: 'req_test', status });
      expect(message).to.include(error.message);
    });
  }

  for (const [name, [status, body, headers]] of Object.entries(malformed)) {
    it(`tell ${name} from an answer of the API`, async () => {
      const found = await onlyAnswer(answer(status, body, headers));
      expect(found).to.include({ type: 'invalid_response_error', status, code: null });
      expect(found.message).to.include('Example');
    });
  }

  it('have the id of the request if only a header names it', async () => {
    const found = await onlyAnswer(answer(502, '', { ...html, 'request-id': 'req_of_header' }));
    expect(found).to.include({ type: 'invalid_response_error', status: 502, requestId: 'req_of_header' });
  });

  it('never contain the key', async () => {
    const { apiKey, driver, settings } = bench();
    const found = [
      await onlyAnswer(answer(400, `{"error":"${apiKey.slice(0, 3)}"}`)),
      await onlyAnswer(dropBefore),
      await driver.fail('events.list', {}, { ...settings, baseUrl: 'nowhere' }),
    ];
    expect(JSON.stringify(found)).to.not.include(apiKey);
  });

  it('do not come from fields and values of a later version', async () => {
    const { driver, proxy, settings, client } = bench();
    const { body } = await client.post('/v1/webhooks', { url: 'https://example.com/new', events: ['*'] });
    const id = String(body['id']);
    proxy.plan(changed((text) => text.replace('"active"', '"paused","later":{"field":[1]}')));
    const webhook = await driver.call('webhooks.retrieve', { id }, settings);
    expect(webhook).to.deep.include({ id, status: 'paused' });
  });
});
