import { randomBytes, randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import { portalSessionSchema } from '../../../../api/resources/portalSessions/routes.js';
import type { RunningRole } from '../../../../shared/runtime/role.js';
import { eventually } from '../../../support/eventually.js';
import { addApiKey, openAccount, suspendAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { call, createClient, read, refusalOf, type Client } from '../../support/client.js';
import { refusedWithin } from '../../support/refusedWithin.js';
import {
  createTenant,
  deleteTenant,
  expiredToken,
  openPortal,
  portalClient,
  revokeSessions,
  type TestTenant,
} from '../../support/tenants.js';

const own = '/v1/portal-session';
const entries = z.object({ data: z.array(z.object({ resource: z.object({ id: z.string() }) })) });

describe('portal sessions', () => {
  let account: TestAccount;
  let tenant: TestTenant;
  let another: RunningRole;
  before(async () => {
    account = await openAccount();
    tenant = await createTenant(account, 'customer-42');
    another = await startAnotherApi(account.service);
  });

  const open = (id: string, body: unknown = {}, client: Client = account.live) =>
    client.postJson(`/v1/tenants/${id}/portal-sessions`, body);
  /** The refusal of a portal token by another process, within a second. */
  const refusalElsewhere = (token: string) => {
    const client = createClient(another.address, token);
    return refusedWithin(1000, async () => {
      const response = await client.get(own);
      // The requests of the wait may exceed the rate limit of the session.
      return [200, 429].includes(response.status) ? null : refusalOf(response);
    });
  };

  it('are returned with their URL and token', async () => {
    const before = Date.now();
    const { url, token, expiresAt } = await openPortal(tenant);
    expect([
      new URL(url).pathname,
      new URL(url).hash,
      /^pst_[\w-]{43}$/.test(token),
      Math.round((Date.parse(expiresAt) - before) / 60_000),
    ]).to.deep.equal([`/portal/${account.id}`, `#token=${token}`, true, 60]);
  });

  it('return their tenant, capabilities and expiry', async () => {
    const body = { expiresIn: 60, capabilities: ['events:read', 'webhooks:read'] };
    const { token, expiresAt } = await openPortal(tenant, body);
    const response = await createClient(account.service.address, token).get(own);
    expect(read(response, portalSessionSchema)).to.deep.equal({
      accountId: account.id,
      tenant: { id: 'customer-42', name: 'Name of customer-42' },
      mode: 'live',
      capabilities: ['webhooks:read', 'events:read'],
      expiresAt,
    });
  });

  it('have all capabilities by default, also without a body', async () => {
    const headers = { authorization: `Bearer ${account.liveKey}` };
    const path = `/v1/tenants/${tenant.id}/portal-sessions`;
    const { token } = z
      .object({ token: z.string() })
      .parse(JSON.parse((await call(account.service.address, path, { method: 'POST', headers })).text));
    const response = await createClient(account.service.address, token).get(own);
    expect(read(response, portalSessionSchema).capabilities).to.have.length(4);
  });

  it('are validated', async () => {
    expect(refusalOf(await open(tenant.id, { expiresIn: 59 }))).to.equal('400 parameter_invalid expiresIn');
  });

  it('need a tenant', async () => {
    const responses = [await open('unknown'), await open('*')];
    expect(responses.map(refusalOf)).to.deep.equal(['404 resource_missing', '404 resource_missing']);
  });

  it('are opened by a key with the scope tenants:write, once in the audit log for each hour', async () => {
    const mine = await createTenant(account, randomUUID());
    const key = await addApiKey(account, { mode: 'live', scopes: ['tenants:write'] });
    const client = createClient(account.service.address, key.secret);
    await openPortal(mine, {}, client);
    await openPortal(mine, {}, client);
    await revokeSessions(mine);
    const idsOf = async (action: string) => {
      const { text } = await account.live.get(`/v1/audit-log?action=${action}&resourceId=${mine.id}`);
      return entries.parse(JSON.parse(text)).data.map(({ resource }) => resource.id);
    };
    await eventually('the entry of the revocation', async () =>
      (await idsOf('tenant.sessions_revoked')).length === 1 ? true : null,
    );
    await eventually('the entry of a session', async () =>
      (await idsOf('tenant.session_created')).length > 0 ? true : null,
    );
    expect(await idsOf('tenant.session_created')).to.deep.equal([mine.id]);
  });

  it('may send twenty requests in a second, also if their account may send one', async () => {
    const small = await openAccount(account.service, { plan: 'enterprise', requestsPerSecond: 1 });
    const customer = await createTenant(small, 'customer-42');
    const responses = await eventually('requests within a second', async () => {
      // Each try has a session of its own, because the requests of a slow try count for theirs.
      const portal = await portalClient(customer);
      const started = performance.now();
      const answered = await Promise.all(Array.from({ length: 30 }, () => portal.get(own)));
      return performance.now() - started < 1000 ? answered : null;
    });
    const statuses = responses.map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length >= 20, new Set(statuses)]).to.deep.equal([
      true,
      new Set([200, 429]),
    ]);
    expect(responses[0]?.headers['ratelimit-policy']).to.equal('"portal";q=20;w=1');
  });

  it('end with their revocation within a second, on every process', async () => {
    const { token } = await openPortal(tenant);
    const refusal = await refusalElsewhereAfter(token, () => revokeSessions(tenant));
    expect(refusal).to.equal('401 portal_session_expired');
  });

  it('end with their tenant within a second, on every process', async () => {
    const mine = await createTenant(account, randomUUID());
    const { token } = await openPortal(mine);
    const refusal = await refusalElsewhereAfter(token, () => deleteTenant(mine));
    expect(refusal).to.equal('401 portal_session_expired');
  });

  it('end with the suspension of their account', async () => {
    const suspended = await openAccount(account.service);
    const { token } = await openPortal(await createTenant(suspended, 'customer-42'));
    const refusal = await refusalElsewhereAfter(token, () => suspendAccount(suspended));
    expect(refusal).to.equal('401 portal_session_expired');
  });

  /** Uses a session elsewhere, so that it is cached there, and then ends it. */
  async function refusalElsewhereAfter(token: string, end: () => Promise<unknown>) {
    const { status } = await createClient(another.address, token).get(own);
    await end();
    return status === 200 ? refusalElsewhere(token) : String(status);
  }

  it('are counted by their revocation, right after which new ones work on every process', async () => {
    const mine = await createTenant(account, randomUUID());
    const first = await openPortal(mine);
    await createClient(another.address, first.token).get(own);
    expect([await revokeSessions(mine), await revokeSessions(mine)]).to.deep.equal([1, 0]);
    const { token } = await openPortal(mine);
    expect((await createClient(another.address, token).get(own)).status).to.equal(200);
  });

  it('of an earlier life do not work in a later one', async () => {
    const mine = await createTenant(account, randomUUID());
    const { token } = await openPortal(mine);
    await deleteTenant(mine);
    await createTenant(account, mine.id);
    expect(await refusalElsewhere(token)).to.equal('401 portal_session_expired');
  });

  it('that have expired get 401 portal_session_expired, and an unknown token 401 api_key_invalid', async () => {
    const expired = createClient(account.service.address, await expiredToken(tenant));
    expect(refusalOf(await expired.get(own))).to.equal('401 portal_session_expired');
    const tokens = [`pst_${randomBytes(32).toString('base64url')}`, 'pst_', `pst_${'x'.repeat(60)}`];
    const responses = await Promise.all(
      tokens.map((token) => createClient(account.service.address, token).get(own)),
    );
    expect(responses.map(refusalOf)).to.deep.equal(tokens.map(() => '401 api_key_invalid'));
  });

  describe('in pages of other origins', () => {
    const origin = `https://${randomBytes(8).toString('hex')}.example.com`;
    const foreign = `https://${randomBytes(8).toString('hex')}.example.com`;
    let token: string;
    before(async () => {
      const other = await openAccount(account.service);
      await other.live.patchJson('/v1/account', { portal: { origins: [foreign] } });
      await account.live.patchJson('/v1/account', { portal: { origins: [origin] } });
      ({ token } = await openPortal(tenant));
    });

    const ask = (from: string, site: string, bearer = token) =>
      call(account.service.address, own, {
        headers: { authorization: `Bearer ${bearer}`, origin: from, 'sec-fetch-site': site },
      });
    const allowedIn = (response: Awaited<ReturnType<typeof call>>) => [
      response.headers['access-control-allow-origin'],
      response.headers['access-control-allow-credentials'],
    ];

    it('can be used by the origins of their account', async () => {
      const response = await ask(origin, 'cross-site');
      expect([response.status, ...allowedIn(response)]).to.deep.equal([200, origin, undefined]);
    });

    for (const [name, from] of [
      ['that another account lists', foreign],
      ['that no account lists', 'https://unlisted.example.com'],
    ] as const) {
      it(`cannot be used by an origin ${name}`, async () => {
        const response = await ask(from, 'cross-site');
        expect([refusalOf(response), ...allowedIn(response)]).to.deep.equal([
          '403 origin_not_allowed',
          undefined,
          undefined,
        ]);
      });
    }

    it('can be used by the page of the portal itself', async () => {
      const response = await ask(account.service.address, 'same-origin');
      expect([response.status, ...allowedIn(response)]).to.deep.equal([200, undefined, undefined]);
    });

    it('can show that they have ended', async () => {
      const mine = await createTenant(account, randomUUID());
      const ended = await openPortal(mine);
      await deleteTenant(mine);
      const response = await ask(origin, 'cross-site', ended.token);
      expect([refusalOf(response), ...allowedIn(response)]).to.deep.equal([
        '401 portal_session_expired',
        origin,
        undefined,
      ]);
    });
  });

  it('get 503 while Redis is unavailable, and so does their creation', async () => {
    const { token } = await openPortal(tenant);
    const alone = await startAnotherApi(account.service, 'redis://127.0.0.1:1');
    try {
      const address = alone.address;
      const responses = [
        await createClient(address, token).get(own),
        await open(tenant.id, {}, createClient(address, account.liveKey)),
      ];
      expect(responses.map(refusalOf)).to.deep.equal(['503 service_unavailable', '503 service_unavailable']);
    } finally {
      await alone.stop();
    }
  });
});
