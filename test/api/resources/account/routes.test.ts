import { expect } from 'chai';

import { accountSchema } from '../../../../api/resources/account/routes.js';
import { defaultPortalSettings } from '../../../../shared/domain/accounts/portalSettings.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read } from '../../support/client.js';
import { openOwner } from '../../support/signedInUsers.js';
import { createWebhook } from '../../support/webhooks.js';

describe('GET /v1/account', () => {
  let account: TestAccount;
  before(async () => {
    account = await openAccount(undefined, { plan: 'enterprise', requestsPerSecond: 250 });
    await createWebhook(account.live);
    const gone = await createWebhook(account.live);
    await account.live.delete(`/v1/webhooks/${gone.id}`);
    await createWebhook(account.test);
  });

  it('returns the account with its plan, limits and usage', async () => {
    // The second in which its requests are counted may end between a request and its answer.
    const shown = await eventually('an answer within the second of its request', async () => {
      const answer = read(await account.live.get('/v1/account'), accountSchema);
      return answer.usage.live.requestsThisSecond > 0 ? answer : null;
    });
    const { requestsThisSecond: _live, ...live } = shown.usage.live;
    const { requestsThisSecond: _test, ...test } = shown.usage.test;
    expect({ ...shown, created: '', usage: { live, test } }).to.deep.equal({
      id: account.id,
      name: 'Test',
      email: 'test@example.com',
      plan: 'enterprise',
      status: 'active',
      created: '',
      limits: { requestsPerSecond: 250, webhooks: 100 },
      usage: {
        live: { webhooks: 1, apiKeys: 1 },
        test: { webhooks: 1, apiKeys: 1 },
      },
      portal: defaultPortalSettings,
      session: null,
    });
  });

  it('counts the request itself in its own mode', async () => {
    const { usage } = await eventually('an answer within the second of its request', async () => {
      const quiet = await openAccount(account.service);
      const answer = read(await quiet.test.get('/v1/account'), accountSchema);
      return answer.usage.test.requestsThisSecond > 0 ? answer : null;
    });
    expect([usage.test.requestsThisSecond, usage.live.requestsThisSecond]).to.deep.equal([1, 0]);
  });

  it('returns the user of a session', async () => {
    const owner = await openOwner(await openAccount(account.service));
    const { session } = read(await owner.send('GET', '/v1/account'), accountSchema);
    expect(session).to.deep.equal({
      user: { id: owner.id, name: null, email: 'test@example.com', role: 'owner' },
      csrfToken: owner.csrfToken,
    });
  });
});
