import { expect } from 'chai';

import { sessionSchema } from '../../../../api/resources/sessions/routes.js';
import { createRandom } from '../../../../shared/core/random.js';
import { hashOfToken } from '../../../../shared/domain/accounts/signInLink.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { appendToAccount, openAccount, suspendAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import {
  eventuallyRefused,
  invite,
  openOwner,
  password,
  postOpen,
  tokenIn,
  useLink,
  type SignedInUser,
} from '../../support/signedInUsers.js';

const identifiers = createIdentifiers(createRandom());
const actor = { type: 'operator', id: null, name: 'test' } as const;

describe('POST /v1/session/link', () => {
  let account: TestAccount;
  let address: string;
  let owner: SignedInUser;
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
    owner = await openOwner(account);
  });

  const post = (body: unknown, headers?: Readonly<Record<string, string>>) =>
    postOpen(address, '/v1/session/link', body, headers);

  it('signs in the first owner, with the link from the creation of the account', async () => {
    const response = await owner.send('GET', '/v1/account');
    expect(JSON.parse(response.text)).to.have.nested.property('session.user.role', 'owner');
  });

  it('accepts a name', async () => {
    const { token } = await invite(owner, 'viewer', 'named@example.com');
    const { user } = read(await post({ token, password, name: 'Ada' }), sessionSchema);
    expect([user.name, user.role]).to.deep.equal(['Ada', 'viewer']);
  });

  it('accepts a link once, also for several concurrent uses', async () => {
    const { token } = await invite(owner, 'viewer', 'several@example.com');
    const responses = await Promise.all([1, 2, 3].map(() => post({ token, password })));
    expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([201, 401, 401]);
    expect(refusalOf(await post({ token, password }))).to.equal('401 link_invalid');
  });

  it('leaves the link usable if the password is rejected', async () => {
    const { token } = await invite(owner, 'viewer', 'short@example.com');
    const refused = await post({ token, password: 'too short' });
    expect([refusalOf(refused), (await post({ token, password })).status]).to.deep.equal([
      '400 parameter_invalid password',
      201,
    ]);
  });

  it('sets another password, and ends the earlier sessions of the user', async () => {
    const { id, token } = await invite(owner, 'viewer', 'again@example.com');
    const before = await useLink(address, token);
    const renewed = await owner.send('PATCH', `/v1/users/${id}`, { body: { newLink: true } });
    const { signInUrl } = JSON.parse(renewed.text) as { signInUrl: string };
    const next = 'another good password';
    const used = await post({ token: tokenIn(signInUrl), password: next });
    const signIns = await Promise.all(
      [password, next].map((each) =>
        postOpen(address, '/v1/session', {
          email: 'again@example.com',
          password: each,
          accountId: account.id,
        }),
      ),
    );
    expect([used.status, signIns.map(({ status }) => status)]).to.deep.equal([201, [401, 201]]);
    const refused = await eventuallyRefused(() => before.send('GET', '/v1/account'));
    expect(refused).to.equal('401 session_expired');
  });

  it('rejects a link that is unknown, expired, replaced by a newer one, or of a deleted user', async () => {
    const expired = 'A'.repeat(43);
    const link = { hash: hashOfToken(expired), expiresAt: new Date(Date.now() - 1) };
    const userId = identifiers.create('usr', new Date());
    const value = { userId, email: 'late@example.com', name: null, role: 'viewer', link, actor } as const;
    await appendToAccount(account, { type: 'postrider.user.invited', value });
    const replaced = await invite(owner, 'viewer', 'newer@example.com');
    await owner.send('PATCH', `/v1/users/${replaced.id}`, { body: { newLink: true } });
    const gone = await invite(owner, 'viewer', 'gone@example.com');
    await owner.send('DELETE', `/v1/users/${gone.id}`);
    for (const token of [expired, replaced.token, gone.token, '', 'x', '%00', '"', 'B'.repeat(43)]) {
      expect(refusalOf(await post({ token, password })), token).to.equal('401 link_invalid');
    }
  });

  it('leaves the link usable while the account is suspended', async () => {
    const suspended = await openAccount(account.service);
    await suspendAccount(suspended);
    expect(refusalOf(await post({ token: suspended.signInToken, password }))).to.equal(
      '403 account_suspended',
    );
  });

  it('validates its body', async () => {
    expect(refusalOf(await post({ password }))).to.equal('400 parameter_missing token');
  });

  it('returns neither a password nor a token', async () => {
    const { token } = await invite(owner, 'viewer', 'hidden@example.com');
    const { text } = await post({ token, password });
    const users = await owner.send('GET', '/v1/users');
    const log = await owner.send('GET', '/v1/audit-log');
    const all = `${text}${users.text}${log.text}`;
    const secrets = [token, hashOfToken(token), password, 'scrypt'];
    expect(secrets.filter((secret) => all.includes(secret))).to.deep.equal([]);
  });
});
