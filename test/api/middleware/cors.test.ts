import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, refusalOf } from '../support/client.js';
import { refusedWithin } from '../support/refusedWithin.js';

describe('cross-origin requests', () => {
  /** Other tests of the service must not list the origin. */
  const origin = `https://${randomBytes(8).toString('hex')}.example.com`;
  const token = `pst_${randomBytes(32).toString('base64url')}`;
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
    await list([origin]);
  });

  const list = (origins: readonly string[]) => account.live.patchJson('/v1/account', { portal: { origins } });

  const preflight = (path: string, method: string, from = origin) =>
    call(address, path, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': method },
    });

  const corsOf = (response: Awaited<ReturnType<typeof call>>) =>
    Object.fromEntries(
      Object.entries(response.headers).filter(([name]) => name.startsWith('access-control-')),
    );

  it('may begin with a preflight from a listed origin', async () => {
    const response = await preflight('/v1/webhooks/wh_1', 'PATCH');
    expect([response.status, response.text, response.headers.vary, corsOf(response)]).to.deep.equal([
      204,
      '',
      'Origin',
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'DELETE, GET, HEAD, PATCH',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
        'access-control-max-age': '600',
      },
    ]);
  });

  const rejected: readonly [reason: string, path: string, method: string, from?: string][] = [
    ['from another origin', '/v1/webhooks', 'GET', 'https://unlisted.example.com'],
    ['from another port of the host', '/v1/webhooks', 'GET', `${origin}:8443`],
    ['from an opaque origin', '/v1/webhooks', 'GET', 'null'],
    ['for a method that the path lacks', '/v1/webhooks', 'DELETE'],
    ['for a method that no tenant may use', '/v1/event-types/a', 'PUT'],
    ['for the account', '/v1/account', 'GET'],
    ['for API keys', '/v1/api-keys', 'POST'],
    ['for the sign-in', '/v1/session', 'POST'],
    ['for the dashboard', '/dashboard', 'GET'],
  ];
  it('may not begin with another preflight', async () => {
    for (const [reason, path, method, from] of rejected) {
      const response = await preflight(path, method, from);
      expect([refusalOf(response), corsOf(response)], reason).to.deep.equal(['405 method_not_allowed', {}]);
    }
  });

  it('get 405 for OPTIONS without a requested method', async () => {
    const response = await call(address, '/v1/webhooks', { method: 'OPTIONS', headers: { origin } });
    expect([refusalOf(response), corsOf(response)]).to.deep.equal(['405 method_not_allowed', {}]);
  });

  it('get 404 for an unknown path', async () => {
    expect(refusalOf(await preflight('/v1/nothing', 'GET'))).to.equal('404 route_not_found');
  });

  it('can read the error of an unknown or damaged portal token', async () => {
    for (const sent of [token, token.slice(0, -1)]) {
      const headers = { origin, authorization: `Bearer ${sent}` };
      const response = await call(address, '/v1/webhooks', { headers });
      expect([refusalOf(response), corsOf(response), response.headers.vary?.split(', ')[0]]).to.deep.equal([
        '401 api_key_invalid',
        {
          'access-control-allow-origin': origin,
          'access-control-expose-headers':
            'Request-Id, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed',
        },
        'Origin',
      ]);
    }
  });

  it('get no CORS headers with an API key or without credentials', async () => {
    const responses = [
      await call(address, '/v1/webhooks', {
        headers: { origin, authorization: `Bearer ${account.liveKey}` },
      }),
      await call(address, '/v1/webhooks', { headers: { origin } }),
    ];
    expect(responses.map(corsOf)).to.deep.equal([{}, {}]);
  });

  it('are rejected within a second after the removal of the origin', async () => {
    await list([]);
    const refused = await refusedWithin(1000, async () => {
      const { status } = await preflight('/v1/webhooks', 'GET');
      return status === 204 ? null : status;
    });
    expect(refused).to.equal(405);
    await list([origin]);
  });
});
