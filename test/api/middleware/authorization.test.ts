import { expect } from 'chai';

import { scopes, type PlanTerms, type Scope } from '../../../shared/domain/accounts/account.js';
import {
  addApiKey,
  appendToAccount,
  openAccount,
  suspendAccount,
  type TestAccount,
} from '../support/accounts.js';
import { call, createClient, errorOf, refusalOf, type Client, type Response } from '../support/client.js';
import { routeTable } from '../support/routeTable.js';

/** The permission that the contract requires for each operation. Some require any scope to read, a full key, a session or a tenant. */
const needed: Readonly<Record<string, Scope | 'any to read' | 'full key' | 'person' | 'tenant'>> = {
  'POST /v1/events': 'events:write',
  'POST /v1/events/batch': 'events:write',
  'GET /v1/events': 'events:read',
  'GET /v1/events/stream': 'events:read',
  'GET /v1/events/:id': 'events:read',
  'GET /v1/attempts': 'events:read',
  'GET /v1/events/:id/attempts': 'events:read',
  'POST /v1/events/:id/resend': 'events:write',
  'GET /v1/webhooks': 'webhooks:read',
  'POST /v1/webhooks': 'webhooks:write',
  'GET /v1/webhooks/:id': 'webhooks:read',
  'GET /v1/webhooks/:id/health': 'webhooks:read',
  'GET /v1/delivery-health': 'webhooks:read',
  'PATCH /v1/webhooks/:id': 'webhooks:write',
  'DELETE /v1/webhooks/:id': 'webhooks:write',
  'POST /v1/webhooks/:id/rotate-secret': 'webhooks:write',
  'POST /v1/webhooks/:id/test': 'webhooks:write',
  'GET /v1/webhooks/:id/attempts': 'webhooks:read',
  'PUT /v1/tenants/:id': 'tenants:write',
  'GET /v1/tenants': 'tenants:read',
  'GET /v1/tenants/:id': 'tenants:read',
  'DELETE /v1/tenants/:id': 'tenants:write',
  'PUT /v1/event-types/:name': 'event-types:write',
  'GET /v1/event-types': 'event-types:read',
  'GET /v1/event-types/:name': 'event-types:read',
  'GET /v1/event-types/:name/usage': 'event-types:read',
  'DELETE /v1/event-types/:name': 'event-types:write',
  'GET /v1/event-catalog.json': 'event-types:read',
  'POST /v1/replays': 'webhooks:write',
  'GET /v1/replays': 'webhooks:read',
  'GET /v1/replays/:id': 'webhooks:read',
  'POST /v1/replays/:id/cancel': 'webhooks:write',
  'GET /v1/stats/deliveries': 'events:read',
  'POST /v1/api-keys': 'full key',
  'GET /v1/api-keys': 'full key',
  'DELETE /v1/api-keys/:id': 'full key',
  'GET /v1/audit-log': 'full key',
  'GET /v1/account': 'any to read',
  'PATCH /v1/account': 'full key',
  'POST /v1/tenants/:id/portal-sessions': 'tenants:write',
  'DELETE /v1/tenants/:id/portal-sessions': 'tenants:write',
  'GET /v1/portal-session': 'tenant',
  'GET /v1/users': 'full key',
  'POST /v1/users': 'person',
  'PATCH /v1/users/:id': 'person',
  'DELETE /v1/users/:id': 'person',
  'DELETE /v1/session': 'person',
};

const operations = routeTable
  .filter(({ access }) => access === 'api-key')
  .map(({ method, path }) => `${method} ${path}`);

const free: PlanTerms = { plan: 'free', requestsPerSecond: 10 };

describe('the authorization of a caller', () => {
  let account: TestAccount;
  let address: string;
  const secrets = new Map<Scope, string>();
  before(async () => {
    account = await openAccount();
    address = account.service.address;
    for (const scope of scopes) {
      secrets.set(scope, (await addApiKey(account, { mode: 'live', scopes: [scope] })).secret);
    }
  });

  const scoped = (scope: Scope): Client => createClient(address, secrets.get(scope) ?? '');

  /** A request that fails after the permission check in any case: without a body, with an unknown id and an unknown parameter. */
  const send = (operation: string, scope: Scope): Promise<Response> => {
    const [method = '', path = ''] = operation.split(' ');
    const headers = { authorization: `Bearer ${secrets.get(scope) ?? ''}` };
    return call(address, `${path.replace(':id', 'none')}?unknown=1`, { method, headers });
  };

  it('is defined for every operation that takes a key', () => {
    expect(operations).to.have.members(Object.keys(needed));
  });

  for (const [operation, permission] of Object.entries(needed)) {
    for (const scope of scopes) {
      const isLetIn = permission === 'any to read' ? scope.endsWith(':read') : permission === scope;
      it(`${isLetIn ? 'allows' : 'forbids'} a key with ${scope} to do ${operation}`, async () => {
        const response = await send(operation, scope);
        const apiError = response.status === 403 ? errorOf(response).code : null;
        expect(apiError).to.equal(isLetIn ? null : 'insufficient_scope');
      });
    }
  }

  it('allows a key everything that its scopes allow', async () => {
    const { secret } = await addApiKey(account, { mode: 'live', scopes: ['events:read', 'webhooks:read'] });
    const client = createClient(address, secret);
    const responses = [await client.get('/v1/events'), await client.get('/v1/webhooks')];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('names the missing scope, as RFC 6750 requires', async () => {
    const { headers } = await scoped('events:read').get('/v1/webhooks');
    expect(headers['www-authenticate']).to.equal(
      'Bearer realm="postrider", error="insufficient_scope", scope="webhooks:read"',
    );
  });

  it('rejects a key without the scope with the error type permission_error', async () => {
    expect(errorOf(await scoped('events:read').get('/v1/webhooks')).type).to.equal('permission_error');
  });

  it('shows the rate limit in its error', async () => {
    const { headers } = await scoped('events:read').get('/v1/webhooks');
    expect([headers['ratelimit-policy'], headers['ratelimit']]).to.not.include(undefined);
  });

  it('checks the scope before body and parameters', async () => {
    const responses = [
      await scoped('events:read').post('/v1/events', 'no JSON', { 'content-type': 'text/plain' }),
      await scoped('webhooks:read').get('/v1/events?x=1'),
    ];
    expect(responses.map(refusalOf)).to.deep.equal(['403 insufficient_scope', '403 insufficient_scope']);
  });

  it('checks route and method before the scope', async () => {
    const responses = [
      await scoped('events:read').get('/v1/nothing'),
      await scoped('events:read').delete('/v1/webhooks'),
    ];
    expect(responses.map(({ status }) => status)).to.deep.equal([404, 405]);
  });

  it('checks the rate limit before the scope', async () => {
    const limitConcurrency = await openAccount(account.service, { plan: 'enterprise', requestsPerSecond: 1 });
    const { secret } = await addApiKey(limitConcurrency, { mode: 'live', scopes: ['events:read'] });
    const client = createClient(address, secret);
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.get('/v1/webhooks')));
    const refusals = new Set(responses.map(refusalOf));
    expect(refusals).to.deep.equal(new Set(['403 insufficient_scope', '429 rate_limit_exceeded']));
  });

  it('rejects all scoped keys of an account that is not on the plan enterprise', async () => {
    const small = await openAccount(account.service, free);
    const { secret } = await addApiKey(small, { mode: 'live', scopes });
    expect(refusalOf(await createClient(address, secret).get('/v1/webhooks'))).to.equal('403 plan_required');
  });

  it('allows a full key everything on any plan', async () => {
    const { live } = await openAccount(account.service, free);
    const responses = [
      await live.get('/v1/webhooks'),
      await live.postJson('/v1/events', { type: 'a', data: {} }),
    ];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 201]);
  });

  it('rejects every key of a suspended account, and gives the reason', async () => {
    const suspended = await openAccount(account.service);
    await suspendAccount(suspended);
    const responses = [await suspended.live.get('/v1/webhooks'), await suspended.test.get('/v1/webhooks')];
    expect(
      responses.map((response) => [refusalOf(response), errorOf(response).message.slice(0, 25)]),
    ).to.deep.equal([
      ['403 account_suspended', 'The account is suspended,'],
      ['403 account_suspended', 'The account is suspended,'],
    ]);
  });

  it('accepts the keys of a resumed account again', async () => {
    const suspended = await openAccount(account.service);
    await suspendAccount(suspended);
    const actor = { type: 'operator', id: null, name: 'test' } as const;
    await appendToAccount(suspended, { type: 'postrider.account.resumed', value: { actor } });
    expect((await suspended.live.get('/v1/webhooks')).status).to.equal(200);
  });
});
