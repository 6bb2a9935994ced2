import { expect } from 'chai';

import { resume, setPlan, suspend } from '../../../cli/accounts/changeAccount.js';
import type { Plan } from '../../../shared/domain/accounts/account.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { startAnotherApi } from '../../api/support/anotherApi.js';
import { createClient, type Client, type Response } from '../../api/support/client.js';
import { eventually } from '../../support/eventually.js';
import { sharedService, type SharedService } from '../../support/service.js';

const withinMs = 1000;

describe('a change of an account by the operator', () => {
  let service: SharedService;
  let other: RunningRole;
  before(async () => {
    service = await sharedService();
    other = await startAnotherApi(service);
  });

  /** Clients of the account on two processes. Both processes have the account in their cache. */
  const clientsOf = async ({ liveKey }: TestAccount): Promise<readonly Client[]> => {
    const clients = [service.address, other.address].map((address) => createClient(address, liveKey));
    await Promise.all(clients.map((client) => client.get('/v1/webhooks')));
    return clients;
  };

  const answersOf = (clients: readonly Client[]): Promise<readonly Response[]> =>
    Promise.all(clients.map((client) => client.get('/v1/webhooks')));

  const changePlan = ({ id }: TestAccount, plan: Plan, agreed: number | null = null) =>
    service.withStores((stores) => setPlan(stores, id, plan, agreed));

  /** The number of records of the account in the log. */
  const recordsOf = ({ id }: TestAccount) =>
    service.withStores(async ({ models }) => {
      const [account] = (await models.accounts.findInAllAccounts([id])).documents;
      return account?.recordIds.length ?? 0;
    });

  it('changes the rate limit on every process within a second', async () => {
    const account = await openAccount(service, { plan: 'free', requestsPerSecond: 10 });
    const clients = await clientsOf(account);
    await changePlan(account, 'pro');
    const policies = await eventually(
      'the new limit on both processes',
      async () => {
        const told = (await answersOf(clients)).map(({ headers }) => headers['ratelimit-policy']);
        return told.every((policy) => policy !== '"free";q=10;w=1') ? told : null;
      },
      withinMs,
    );
    expect(policies).to.deep.equal(['"pro";q=100;w=1', '"pro";q=100;w=1']);
  });

  it('gives an account on the plan enterprise the agreed rate limit', async () => {
    const account = await openAccount(service, { plan: 'free', requestsPerSecond: 10 });
    expect(await changePlan(account, 'enterprise', 321)).to.deep.equal({
      terms: { plan: 'enterprise', requestsPerSecond: 321 },
      isChanged: true,
    });
  });

  it('appends nothing if the account is already on that plan', async () => {
    const account = await openAccount(service, { plan: 'pro', requestsPerSecond: 100 });
    const before = await recordsOf(account);
    await changePlan(account, 'pro');
    expect(await recordsOf(account)).to.equal(before);
  });

  it('suspends an account on every process within a second, and resumes it', async () => {
    const account = await openAccount(service);
    const clients = await clientsOf(account);
    const status = (code: number) =>
      eventually(
        `a ${code} on both processes`,
        async () => ((await answersOf(clients)).every((answer) => answer.status === code) ? true : null),
        withinMs,
      );
    await service.withStores((stores) => suspend(stores, account.id));
    await status(403);
    await service.withStores((stores) => resume(stores, account.id));
    await status(200);
  });

  it('appends nothing if an account is suspended twice, or is active when it is resumed', async () => {
    const account = await openAccount(service);
    const before = await recordsOf(account);
    await service.withStores(async (stores) => {
      await resume(stores, account.id);
      await suspend(stores, account.id);
      await suspend(stores, account.id);
    });
    expect(await recordsOf(account)).to.equal(before + 1);
  });
});
