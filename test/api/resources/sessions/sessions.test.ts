import { createHmac } from 'node:crypto';

import { expect } from 'chai';

import { startApi } from '../../../../api/main.js';
import { accountSchema } from '../../../../api/resources/account/routes.js';
import { createLogger } from '../../../../shared/core/logger.js';
import { startTestRedis } from '../../../shared/store/redis/redisServer.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { call, errorOf, read, refusalOf, type Response } from '../../support/client.js';
import {
  openOwner,
  openUser,
  password,
  postOpen,
  signIn,
  type SignedInUser,
} from '../../support/signedInUsers.js';
import { createWebhook } from '../../support/webhooks.js';

const event = { type: 'order.completed', data: { orderId: 'ord_1' } };
const dayMs = 24 * 60 * 60 * 1000;

/** The rules for every request with a session. */
describe('requests with a session', () => {
  let account: TestAccount;
  let address: string;
  let owner: SignedInUser;
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
    owner = await openOwner(account);
  });

  const get = (headers: Readonly<Record<string, string>>) => call(address, '/v1/webhooks', { headers });
  const postEvent = (headers: Readonly<Record<string, string>>) =>
    call(address, '/v1/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(event),
    });

  it('are in live mode by default, or in the mode of their header', async () => {
    const [{ id: live }, { id: test }] = [
      await createWebhook(account.live),
      await createWebhook(account.test),
    ];
    expect((await owner.send('GET', '/v1/webhooks')).text).to.contain(live);
    const inMode = (mode: string) =>
      owner.send('GET', '/v1/webhooks', { headers: { 'postrider-mode': mode } });
    expect((await inMode('test')).text).to.contain(test);
    for (const mode of ['', 'LIVE', 'both', 'live, test', '__proto__']) {
      expect(refusalOf(await inMode(mode)), mode).to.equal('400 parameter_invalid Postrider-Mode');
    }
  });

  it('are rejected for their role before their mode', async () => {
    const viewer = await openUser(account, owner, 'viewer', 'mode@example.com');
    const response = await viewer.send('GET', '/v1/api-keys', { headers: { 'postrider-mode': 'x' } });
    expect(refusalOf(response)).to.equal('403 insufficient_scope');
  });

  it('record the user as the actor in the audit log', async () => {
    const ada = await openUser(account, owner, 'developer', 'actor@example.com');
    await owner.send('PATCH', `/v1/users/${ada.id}`, { body: { name: 'Ada' } });
    const person = await signIn(address, 'actor@example.com', account.id);
    const body = { url: 'https://example.com/', events: ['*'] };
    const created = await person.send('POST', '/v1/webhooks', { body });
    const { id } = JSON.parse(created.text) as { id: string };
    const actor = await eventuallyActor(owner, id);
    expect(actor).to.deep.equal({ type: 'user', id: ada.id, name: 'Ada' });
  });

  it('count against the rate limit of the account, separately for each mode', async () => {
    const limitConcurrency = await openAccount(account.service, { plan: 'enterprise', requestsPerSecond: 2 });
    const person = await openOwner(limitConcurrency);
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => person.send('GET', '/v1/webhooks')));
    const headers = { 'postrider-mode': 'test' };
    const other = await person.send('GET', '/v1/webhooks', { headers });
    expect([
      responses.map(({ status }) => status).includes(429),
      other.status,
      other.headers['ratelimit-policy'],
    ]).to.deep.equal([true, 200, '"enterprise";q=2;w=1']);
  });

  it('use an API key instead of the session, and no CSRF token, if they have both', async () => {
    const { cookie } = owner;
    expect(refusalOf(await get({ cookie, authorization: 'Bearer sk_live_wrong' }))).to.equal(
      '401 api_key_invalid',
    );
    expect((await postEvent({ cookie, authorization: `Bearer ${account.liveKey}` })).status).to.equal(201);
  });

  it('have a CSRF token that is derived from the session', () => {
    const value = owner.cookie.split('=')[1] ?? '';
    expect(owner.csrfToken).to.equal(createHmac('sha256', value).update('csrf').digest('base64url'));
  });

  const forged: readonly [what: string, headers: (person: SignedInUser) => Record<string, string>][] = [
    ['without the CSRF token', () => ({})],
    ['with an empty CSRF token', () => ({ 'postrider-csrf': '' })],
    ['with another CSRF token', ({ csrfToken }) => ({ 'postrider-csrf': `${csrfToken}A` })],
    [
      'with the session as the CSRF token',
      ({ cookie }) => ({ 'postrider-csrf': cookie.split('=')[1] ?? '' }),
    ],
    [
      'from another site',
      ({ csrfToken }) => ({ 'postrider-csrf': csrfToken, 'sec-fetch-site': 'cross-site' }),
    ],
    [
      'from another host of the domain',
      ({ csrfToken }) => ({ 'postrider-csrf': csrfToken, 'sec-fetch-site': 'same-site' }),
    ],
  ];
  it('are accepted as changes from the page itself, and rejected without its CSRF token', async () => {
    for (const [what, headers] of forged) {
      const response = await postEvent({ cookie: owner.cookie, ...headers(owner) });
      expect(refusalOf(response), what).to.equal('403 csrf_invalid');
    }
    const headers = { 'postrider-csrf': owner.csrfToken, 'sec-fetch-site': 'same-origin' };
    expect((await postEvent({ cookie: owner.cookie, ...headers })).status).to.equal(201);
  });

  it('find their session among other cookies', async () => {
    expect((await get({ cookie: `a=b; ${owner.cookie}; postrider_sessions=x` })).status).to.equal(200);
    const others = ['postrider_session=', 'postrider_session=x', `session=${'A'.repeat(43)}`, ';;==;', ''];
    for (const cookie of others) {
      expect(refusalOf(await get({ cookie })), cookie).to.equal('401 api_key_missing');
    }
  });

  it('are rejected with an unknown session, and the response states how to authenticate', async () => {
    const response = await get({ cookie: `postrider_session=${'A'.repeat(43)}` });
    expect([refusalOf(response), errorOf(response).type, response.headers['www-authenticate']]).to.deep.equal(
      ['401 session_expired', 'authentication_error', 'Bearer realm="postrider"'],
    );
  });

  it('continue on every process until the user signs out on one, which deletes the cookie', async () => {
    const other = await startAnotherApi(account.service);
    const { send, cookie } = await openUser(account, owner, 'viewer', 'leaves@example.com');
    const elsewhere = () => call(other.address, '/v1/webhooks', { headers: { cookie } });
    const before = await elsewhere();
    const { headers } = await send('DELETE', '/v1/session');
    expect([before.status, headers['set-cookie'], refusalOf(await elsewhere())]).to.deep.equal([
      200,
      ['postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
      '401 session_expired',
    ]);
  });

  it('are rejected seven days after the sign-in', async () => {
    let now = Date.now();
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const later = await startApi(account.service.config, logger, () => new Date(now));
    try {
      const { cookie } = await openUser(account, owner, 'viewer', 'week@example.com');
      const ask = () => call(later.address, '/v1/webhooks', { headers: { cookie } });
      now += 7 * dayMs - 60_000;
      const before = await ask();
      now += 120_000;
      expect([before.status, refusalOf(await ask())]).to.deep.equal([200, '401 session_expired']);
    } finally {
      await later.stop();
    }
  });

  it('have a cookie that is sent over https alone if the public URL is https', async () => {
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const { config } = account.service;
    const http = { ...config.http, publicUrl: 'https://events.example.com' };
    const secure = await startApi({ ...config, http }, logger, () => new Date());
    try {
      const email = 'secure@example.com';
      await openUser(account, owner, 'viewer', email);
      const body = { email, password, accountId: account.id };
      const { headers } = await postOpen(secure.address, '/v1/session', body);
      expect(headers['set-cookie']?.[0]?.replace(/=[A-Za-z0-9_-]{43};/, '=…;')).to.equal(
        '__Host-postrider_session=…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure',
      );
    } finally {
      await secure.stop();
    }
  });

  it('get 503 while Redis is unavailable, as a sign-in does, and API keys still work', async () => {
    const redis = await startTestRedis();
    const alone = await startAnotherApi(account.service, redis.url);
    try {
      await redis.server.kill();
      const { email, cookie } = owner;
      const signingIn = { email, password, accountId: account.id };
      const responses: readonly Response[] = [
        await call(alone.address, '/v1/account', { headers: { cookie } }),
        await postOpen(alone.address, '/v1/session', signingIn),
        await postOpen(alone.address, '/v1/session/link', { token: 'x', password }),
      ];
      const headers = { authorization: `Bearer ${account.liveKey}` };
      expect([
        responses.map(refusalOf),
        responses.map((response) => response.headers['retry-after']),
      ]).to.deep.equal([
        ['503 service_unavailable', '503 service_unavailable', '503 service_unavailable'],
        ['2', '2', '2'],
      ]);
      // The second in which its requests are counted may end between a request and its answer.
      await eventually('an answer within the second of its request', async () => {
        const byKey = read(await call(alone.address, '/v1/account', { headers }), accountSchema);
        return byKey.usage.live.requestsThisSecond > 0 ? true : null;
      });
    } finally {
      await alone.stop();
      await redis.stop();
    }
  });
});

/** The actor of an entry, once the audit log has its name, which is stored in another topic. */
async function eventuallyActor(owner: SignedInUser, resourceId: string): Promise<unknown> {
  return eventually('the entry in the audit log, with a name', async () => {
    const { text } = await owner.send('GET', '/v1/audit-log');
    const { data } = JSON.parse(text) as { data: readonly AuditLine[] };
    const actor = data.find(({ resource }) => resource.id === resourceId)?.actor;
    return actor === undefined || actor.name === null ? null : actor;
  });
}

interface AuditLine {
  readonly actor: { readonly name: string | null };
  readonly resource: { readonly id: string };
}
