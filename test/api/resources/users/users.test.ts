import { expect } from 'chai';

import {
  deletedUserSchema,
  invitedUserSchema,
  updatedUserSchema,
} from '../../../../api/resources/users/routes.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf } from '../../support/client.js';
import {
  eventuallyRefused,
  invite,
  openOwner,
  openUser,
  tokenIn,
  userIdsOf,
  type SignedInUser,
} from '../../support/signedInUsers.js';

const unknown = 'usr_01HZZZZZZZZZZZZZZZZZZZZZZZ';

describe('/v1/users', () => {
  let account: TestAccount;
  let owner: SignedInUser;
  let other: SignedInUser;
  before(async () => {
    account = await openAccount();
    owner = await openOwner(account);
    other = await openOwner(await openAccount(account.service));
  });

  const post = (body: unknown) => owner.send('POST', '/v1/users', { body });
  const patch = (id: string, body: unknown) => owner.send('PATCH', `/v1/users/${id}`, { body });

  it('invites a user', async () => {
    const invited = read(
      await post({ email: 'Grace@Example.com', role: 'developer', name: 'Grace' }),
      invitedUserSchema,
    );
    const { id, created, signInUrl, ...rest } = invited;
    expect([
      id.startsWith('usr_'),
      Date.parse(created) > 0,
      /^http.*\/dashboard\/link#token=[\w-]{43}$/.test(signInUrl),
      rest,
    ]).to.deep.equal([
      true,
      true,
      true,
      { email: 'grace@example.com', name: 'Grace', role: 'developer', status: 'invited', lastSignInAt: null },
    ]);
  });

  it('rejects an invitation of an existing email address in any case, until the user is deleted', async () => {
    const { id } = await invite(owner, 'viewer', 'twice@example.com');
    expect(refusalOf(await post({ email: 'TWICE@example.com', role: 'viewer' }))).to.equal(
      '409 user_exists email',
    );
    await owner.send('DELETE', `/v1/users/${id}`);
    expect((await invite(owner, 'viewer', 'twice@example.com')).id).not.to.equal(id);
  });

  it('returns the same link to a repeated request', async () => {
    const call = {
      body: { email: 'same@example.com', role: 'viewer' },
      headers: { 'idempotency-key': 'same' },
    };
    const [first, second] = [
      await owner.send('POST', '/v1/users', call),
      await owner.send('POST', '/v1/users', call),
    ];
    expect(second.text).to.equal(first.text);
  });

  it('validates an invitation', async () => {
    expect(refusalOf(await post({ email: 'a@b', role: 'admin' }))).to.equal('400 parameter_invalid role');
  });

  it('lists only the users of the account, newest first, page by page', async () => {
    const windowShare = await openAccount(account.service);
    const head = await openOwner(windowShare);
    const ids = [head.id];
    for (const name of ['one', 'two', 'three']) {
      ids.unshift((await invite(head, 'viewer', `${name}@example.com`)).id);
    }
    const pages = [
      await userIdsOf(head),
      await userIdsOf(head, '?limit=2'),
      await userIdsOf(head, `?limit=2&startingAfter=${ids[1] ?? ''}`),
      await userIdsOf(head, `?limit=1&endingBefore=${ids[2] ?? ''}`),
    ];
    expect(pages).to.deep.equal([ids, ids.slice(0, 2), ids.slice(2), ids.slice(1, 2)]);
  });

  it('accepts a deleted user as a cursor, and no other id', async () => {
    const { id } = await invite(owner, 'viewer', 'cursor@example.com');
    await owner.send('DELETE', `/v1/users/${id}`);
    expect((await owner.send('GET', `/v1/users?startingAfter=${id}`)).status).to.equal(200);
    for (const cursor of [other.id, unknown, 'x', '']) {
      const response = await owner.send('GET', `/v1/users?startingAfter=${cursor}`);
      expect(refusalOf(response), cursor).to.equal('400 cursor_invalid startingAfter');
    }
  });

  it('shows the status of a user who has signed in', async () => {
    const user = read(await patch(owner.id, {}), updatedUserSchema);
    expect(user).to.deep.include({ id: owner.id, status: 'active' });
  });

  it('changes a role, and with it the permissions of the user', async () => {
    const person = await openUser(account, owner, 'developer', 'role@example.com');
    const body = { url: 'https://example.com/', events: ['*'] };
    const before = await person.send('POST', '/v1/webhooks', { body });
    read(await patch(person.id, { role: 'viewer' }), updatedUserSchema);
    const after = await eventuallyRefused(() => person.send('POST', '/v1/webhooks', { body }));
    expect([before.status, after]).to.deep.equal([201, '403 insufficient_scope']);
  });

  it('creates another link, and shows it once', async () => {
    const { id, token } = await invite(owner, 'viewer', 'link@example.com');
    const { signInUrl = '', ...user } = read(await patch(id, { newLink: true }), updatedUserSchema);
    const again = read(await patch(id, {}), updatedUserSchema);
    expect([tokenIn(signInUrl).length, tokenIn(signInUrl) === token, again]).to.deep.equal([43, false, user]);
  });

  it('appends nothing if a request changes nothing', async () => {
    const { id } = await invite(owner, 'viewer', 'still@example.com');
    const entries = async () => (await owner.send('GET', '/v1/audit-log?limit=100')).text.split(id).length;
    await eventually('the invitation in the audit log', async () => ((await entries()) > 1 ? true : null));
    const before = await entries();
    await patch(id, { role: 'viewer', name: null });
    await patch(id, { name: 'Now' });
    const after = await eventually('the change in the audit log', async () =>
      (await entries()) > before ? await entries() : null,
    );
    expect(after).to.equal(before + 1);
  });

  it('keeps the last owner', async () => {
    const head = await openOwner(await openAccount(account.service));
    await invite(head, 'owner', 'never@example.com');
    const responses = [
      await head.send('PATCH', `/v1/users/${head.id}`, { body: { role: 'viewer' } }),
      await head.send('DELETE', `/v1/users/${head.id}`),
    ];
    expect(responses.map(refusalOf)).to.deep.equal(['409 last_owner', '409 last_owner']);
  });

  it('allows an owner to delete another one, and ends the sessions of the deleted user', async () => {
    const leaving = await openUser(account, owner, 'owner', 'leaving@example.com');
    const deleted = read(await owner.send('DELETE', `/v1/users/${leaving.id}`), deletedUserSchema);
    const refused = await eventuallyRefused(() => leaving.send('GET', '/v1/account'));
    expect([deleted, refused]).to.deep.equal([{ id: leaving.id, deleted: true }, '401 session_expired']);
  });

  it('answers 404 for an unknown id', async () => {
    for (const id of ['x', unknown, 'acct_01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      const responses = [await patch(id, { name: 'x' }), await owner.send('DELETE', `/v1/users/${id}`)];
      expect(responses.map(refusalOf), id).to.deep.equal(['404 resource_missing', '404 resource_missing']);
    }
  });
});
