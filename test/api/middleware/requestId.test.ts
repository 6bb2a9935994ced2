import { expect } from 'chai';

import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, errorOf } from '../support/client.js';

describe('the request id', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount();
  });

  const calls = {
    'a success': () => account.live.get('/v1/webhooks'),
    'a created event': () => account.live.postJson('/v1/events', { type: 'a', data: {} }),
    'a 400': () => account.live.get('/v1/webhooks?x=1'),
    'a 401': () => call(account.service.address, '/v1/webhooks'),
    'a 404': () => call(account.service.address, '/nothing'),
    'a 405': () => call(account.service.address, '/v1/webhooks', { method: 'PUT' }),
    'a 415': () => account.live.post('/v1/events', '{}', {}),
    'the metrics': () => call(account.service.address, '/metrics'),
    'a HEAD': () => call(account.service.address, '/healthz', { method: 'HEAD' }),
  };
  it('is in the headers of every response', async () => {
    for (const [what, send] of Object.entries(calls)) {
      const { headers } = await send();
      expect(isIdentifier('req', String(headers['request-id'])), what).to.equal(true);
    }
  });

  it('is also in the body of an error', async () => {
    const response = await call(account.service.address, '/nothing');
    expect(errorOf(response).requestId).to.equal(response.headers['request-id']);
  });

  it('is different for each request', async () => {
    const first = await call(account.service.address, '/healthz');
    const second = await call(account.service.address, '/healthz');
    expect(first.headers['request-id']).not.to.equal(second.headers['request-id']);
  });

  it('is never the id that a client sends', async () => {
    const headers = { 'request-id': 'req_01HZZZZZZZZZZZZZZZZZZZZZZZ' };
    const response = await call(account.service.address, '/healthz', { headers });
    expect(response.headers['request-id']).not.to.equal(headers['request-id']);
  });

  it('is sent with headers that prevent caching', async () => {
    const { headers } = await account.live.get('/v1/webhooks');
    expect([headers['cache-control'], headers['x-content-type-options']]).to.deep.equal([
      'no-store',
      'nosniff',
    ]);
  });
});
