import { expect } from 'chai';

import { sessionSchema } from '../../../../api/resources/sessions/routes.js';
import { openAccount, suspendAccount, type TestAccount } from '../../support/accounts.js';
import { call, read, refusalOf, type Response } from '../../support/client.js';
import {
  cookieOf,
  eventuallyRefused,
  fromNewAddress,
  invite,
  openOwner,
  openUser,
  password,
  postOpen,
  signIn,
  type SignedInUser,
} from '../../support/signedInUsers.js';

describe('POST /v1/session', () => {
  let account: TestAccount;
  let address: string;
  let owner: SignedInUser;
  const email = `owner-${String(Date.now())}@example.com`;
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
    owner = await openUser(account, await openOwner(account), 'owner', email);
  });

  const post = (body: unknown, headers?: Readonly<Record<string, string>>) =>
    postOpen(address, '/v1/session', body, headers);

  it('returns the user and the account', async () => {
    const session = read(await post({ email, password }), sessionSchema);
    expect({ ...session, csrfToken: '' }).to.deep.equal({
      user: { id: owner.id, name: null, email, role: 'owner' },
      account: { id: account.id, name: 'Test', plan: 'enterprise' },
      csrfToken: '',
    });
  });

  for (const path of ['/v1/session', '/v1/session/link']) {
    it(`accepts at most 4 KiB of body at ${path}`, async () => {
      const response = await postOpen(address, path, { email, password: 'x'.repeat(4096) });
      expect(refusalOf(response)).to.equal('413 payload_too_large');
    });
  }

  it('accepts the longest password and name with all characters escaped', async () => {
    const invited = await invite(owner, 'viewer', `long-${email}`);
    const escaped = JSON.stringify({ token: invited.token, password: '', name: '' })
      .replace('"password":""', `"password":"${'\\u0141'.repeat(200)}"`)
      .replace('"name":""', `"name":"${'\\u0141'.repeat(100)}"`);
    const headers = { 'content-type': 'application/json', ...fromNewAddress() };
    const response = await call(address, '/v1/session/link', { method: 'POST', headers, body: escaped });
    expect(response.status).to.equal(201);
  });

  it('sets cookies that are hidden from scripts and that other sites do not send', async () => {
    const { status, headers } = await post({ email: email.toUpperCase(), password });
    const cookie = headers['set-cookie']?.join() ?? '';
    expect([status, cookie.replaceAll(/_(session|device)=[^;]+;/g, '_$1=…;')]).to.deep.equal([
      201,
      'postrider_session=…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax,' +
        'postrider_device=…; Max-Age=15552000; Path=/; HttpOnly; SameSite=Strict',
    ]);
  });

  it('creates a session that works until the next sign-in of the browser', async () => {
    const person = await signIn(address, email, account.id);
    expect((await person.send('GET', '/v1/webhooks')).status).to.equal(200);
    await post({ email, password }, { ...fromNewAddress(), cookie: person.cookie });
    expect(refusalOf(await person.send('GET', '/v1/webhooks'))).to.equal('401 session_expired');
  });

  it('replaces a session value that the client has chosen', async () => {
    const given = `postrider_session=${'A'.repeat(43)}`;
    const response = await post({ email, password }, { ...fromNewAddress(), cookie: given });
    expect([cookieOf(response).length, cookieOf(response) === given]).to.deep.equal([given.length, false]);
  });

  const wrong: readonly [what: string, body: object][] = [
    ['another password', { email, password: `${password}!` }],
    ['an unknown email address', { email: 'nobody@example.com', password }],
    ['a user who has not accepted the invitation', { email: 'test@example.com', password: 'x' }],
    ['another account', { email, password, accountId: 'acct_01HZZZZZZZZZZZZZZZZZZZZZZZ' }],
    ['an operator of the database', { email: '{$ne:1}@x', password }],
  ];
  it('rejects wrong credentials with the same error', async () => {
    for (const [what, body] of wrong) {
      expect(refusalOf(await post(body)), what).to.equal('401 credentials_invalid');
    }
  });

  it('validates its body, and rejects forms that another site can send', async () => {
    expect(refusalOf(await post({ email }))).to.equal('400 parameter_missing password');
    const headers = { ...fromNewAddress(), 'content-type': 'text/plain' };
    expect(refusalOf(await post({ email, password }, headers))).to.equal('415 unsupported_media_type');
  });

  describe('after ten failures for an address from a network whose proxy writes ports', () => {
    const network = fromNewAddress()['x-forwarded-for'] ?? '';
    let port = 5000;
    const fromPort = () => ({ 'x-forwarded-for': `${network}:${(port += 1)}` });
    let cookie: string;
    let failures: readonly Response[];
    before(async () => {
      const signedIn = await post({ email, password });
      const cookies = signedIn.headers['set-cookie'] ?? [];
      cookie = cookies.find((each) => each.startsWith('postrider_device='))?.split(';')[0] ?? '';
      const wrong = { email, password: `${password}!` };
      failures = await Promise.all(Array.from({ length: 10 }, () => post(wrong, fromPort())));
    });

    it('answers 429 to further attempts, also with the right password', async () => {
      const response = await post({ email, password }, fromPort());
      expect([
        new Set(failures.map(refusalOf)),
        refusalOf(response),
        Number(response.headers['retry-after']) > 60,
      ]).to.deep.equal([new Set(['401 credentials_invalid']), '429 rate_limit_exceeded', true]);
    });

    it('accepts the owner from another network, and from the same one on a known device', async () => {
      const responses = [
        await post({ email, password }),
        await post({ email, password }, { ...fromPort(), cookie }),
      ];
      expect(responses.map(({ status }) => status)).to.deep.equal([201, 201]);
    });
  });

  it('rejects the right password if the account is suspended', async () => {
    const suspended = await openAccount(account.service);
    const someone = `suspended-${String(Date.now())}@example.com`;
    const before = await openUser(suspended, await openOwner(suspended), 'viewer', someone);
    await suspendAccount(suspended);
    expect([
      refusalOf(await post({ email: someone, password })),
      await eventuallyRefused(() => before.send('GET', '/v1/account')),
    ]).to.deep.equal(['403 account_suspended', '401 session_expired']);
  });

  it('selects the account by the password if several accounts have the address', async () => {
    const other = await openAccount(account.service);
    const second = await openUser(other, await openOwner(other), 'viewer', email);
    const [oldest, named] = [
      read(await post({ email, password }), sessionSchema),
      read(await post({ email, password, accountId: other.id }), sessionSchema),
    ];
    expect([oldest.account.id, named.account.id, named.user.id]).to.deep.equal([
      account.id,
      other.id,
      second.id,
    ]);
  });
});
