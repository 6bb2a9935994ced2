import { expect } from 'chai';

import { openAccount, type TestAccount } from './support/accounts.js';
import { call, errorOf, refusalOf } from './support/client.js';

const unknownEvent = '/v1/events/evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';

const unknownPaths = [
  '/',
  '//',
  '/v1',
  '/v1/',
  '/v2/events',
  '/v1/event',
  '/v1/events/',
  '//v1/events',
  '/v1//events',
  '/V1/events',
  '/v1/Events',
  '/v1/EVENTS',
  '/v1/%65vents',
  '/v1/events%2F',
  '/v1/events;a=1',
  '/v1/events/evt_1/',
  '/v1/events/evt_1/nothing',
  '/v1/webhooks/',
  '/healthz/',
  '/Healthz',
  '/metrics/x',
  '/docs/',
  '/docs/errors/',
  '/v1/events/%',
  '/v1/events/%Z',
  '/v1/events/%ZZ',
  '/v1/events/%C3',
  '/v1/events/%FF',
  '/v1/events/%E0%A4%A',
  '/%C3%28',
  '/v1/../v1/events',
  '/%2e%2e/etc/passwd',
  '*',
];

const allowed = {
  '/v1/events': 'GET, HEAD, POST',
  '/v1/events/batch': 'POST',
  '/v1/events/stream': 'GET, HEAD',
  [unknownEvent]: 'GET, HEAD',
  '/v1/webhooks': 'GET, HEAD, POST',
  '/v1/webhooks/wh_1': 'DELETE, GET, HEAD, PATCH',
  '/v1/webhooks/wh_1/rotate-secret': 'POST',
  '/healthz': 'GET, HEAD',
  '/readyz': 'GET, HEAD',
  '/metrics': 'GET, HEAD',
  '/docs': 'GET, HEAD',
  '/docs/errors/last_key': 'GET, HEAD',
};

const methods = [
  'OPTIONS',
  'TRACE',
  'PUT',
  'PATCH',
  'DELETE',
  'POST',
  'PURGE',
  'PROPFIND',
  'LINK',
  'M-SEARCH',
  'QUERY',
];

const malformedIds = [
  'evt_',
  'evt',
  'x',
  'evt_01hzzzzzzzzzzzzzzzzzzzzzzz',
  'evt_81HZZZZZZZZZZZZZZZZZZZZZZZ',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZZZ',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZ',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZU',
  'EVT_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  'wh_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ%2Fattempts',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ%00',
  'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ%0A',
  '%20evt_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  'evt_%F0%9F%98%80',
  '..%2f..%2fetc%2fpasswd',
  'meta',
  '$ne',
  '__proto__',
  'a'.repeat(5000),
];

describe('the routing of requests', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  it('answers 404 at unknown paths', async () => {
    for (const path of unknownPaths) {
      expect(refusalOf(await account.live.get(path)), path).to.equal('404 route_not_found');
    }
  });

  it('answers 404 at an unknown path before it requires a key', async () => {
    expect(refusalOf(await call(address, '/v1/nothing'))).to.equal('404 route_not_found');
  });

  it('answers 404 at an unknown path for any method', async () => {
    expect(refusalOf(await call(address, '/v1/nothing', { method: 'PURGE' }))).to.equal(
      '404 route_not_found',
    );
  });

  it('answers 405 to other methods, and lists the allowed ones', async () => {
    for (const [path, allow] of Object.entries(allowed)) {
      for (const method of methods.filter((name) => !allow.includes(name))) {
        const response = await call(address, path, { method });
        expect([refusalOf(response), response.headers.allow], `${method} ${path}`).to.deep.equal([
          '405 method_not_allowed',
          allow,
        ]);
      }
    }
  });

  it('answers 405 to a method before it requires a key', async () => {
    expect(refusalOf(await call(address, '/v1/events', { method: 'DELETE' }))).to.equal(
      '405 method_not_allowed',
    );
  });

  it('requires a key before it checks parameters and body', async () => {
    const response = await call(address, '/v1/events?x=1', { method: 'POST', body: 'no JSON' });
    expect(refusalOf(response)).to.equal('401 api_key_missing');
  });

  it('checks the form of the body before the parameters', async () => {
    const response = await account.live.post('/v1/events?x=1', '{}', { 'content-type': 'text/plain' });
    expect(refusalOf(response)).to.equal('415 unsupported_media_type');
  });

  it('checks the parameters before it looks for the resource', async () => {
    expect(refusalOf(await account.live.get(`${unknownEvent}?x=1`))).to.equal('400 parameter_unknown x');
  });

  it('answers HEAD as GET, without a body', async () => {
    const headers = { authorization: `Bearer ${account.liveKey}` };
    for (const path of [
      '/v1/events',
      '/v1/webhooks',
      '/healthz',
      '/readyz',
      '/metrics',
      '/docs',
      unknownEvent,
    ]) {
      const head = await call(address, path, { method: 'HEAD', headers });
      const get = await call(address, path, { headers });
      expect([head.status, head.headers['content-type'], head.text], path).to.deep.equal([
        get.status,
        get.headers['content-type'],
        '',
      ]);
    }
  });

  it('answers 404 for malformed ids', async () => {
    for (const id of malformedIds) {
      const refused = await account.live.get(`/v1/events/${id}`);
      expect(refusalOf(refused), id.slice(0, 60)).to.equal('404 resource_missing');
    }
  });

  it('decodes a percent-encoded id', async () => {
    const path = '/v1/events/%65vt%5F01HZZZZZZZZZZZZZZZZZZZZZZZ';
    expect(errorOf(await account.live.get(path)).message).to.contain('evt_01HZZZZZZZZZZZZZZZZZZZZZZZ');
  });
});
