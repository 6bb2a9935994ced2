import { expect } from 'chai';

import { scopes, type PlanTerms, type Scope } from '../../../shared/domain/accounts/account.js';
import {
  addApiKey,
  appendToAccount,
  openAccount,
  suspendAccount,
  type TestAccount,
} from '../support/accounts.js';
import { createClient, errorOf, refusalOf, type Client } from '../support/client.js';

const free: PlanTerms = { plan: 'free', requestsPerSecond: 10 };

describe('the authorization of a caller', () => {
  let account: TestAccount;
  let address: string;
  const secrets = new Map<Scope, string>();
  before(async () => {
    account = await openAccount();
    address = account.service.address;
    for (const scope of ['events:read', 'webhooks:read'] as const) {
      secrets.set(scope, (await addApiKey(account, { mode: 'live', scopes: [scope] })).secret);
    }
  });

  const scoped = (scope: Scope): Client => createClient(address, secrets.get(scope) ?? '');

  it('allows a key everything that its scopes allow', async () => {
    const { secret } = await addApiKey(account, { mode: 'live', scopes: ['events:read', 'webhooks:read'] });
    const client = createClient(address, secret);
    const responses = [await client.get('/v1/events'), await client.get('/v1/webhooks')];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('names the missing scope, as RFC 6750 requires, and shows the rate limit in its error', async () => {
    const refused = await scoped('events:read').get('/v1/webhooks');
    expect([
      errorOf(refused).type,
      refused.headers['www-authenticate'],
      refused.headers['ratelimit-policy'],
    ]).to.deep.equal([
      'permission_error',
      'Bearer realm="postrider", error="insufficient_scope", scope="webhooks:read"',
      '"enterprise";q=100000;w=1',
    ]);
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
