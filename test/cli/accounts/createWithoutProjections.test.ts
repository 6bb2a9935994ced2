import { expect } from 'chai';

import { accountCreation, type CreatedAccount } from '../../../cli/accounts/createAccount.js';
import { showOnce } from '../../../cli/accounts/showOnce.js';
import { createClient } from '../../support/client.js';
import { startService, type TestService } from '../../support/service.js';

describe('the creation of an account without projections', () => {
  let service: TestService;
  before(async () => {
    service = await startService({}, []);
  });

  it('shows keys, and they work when the projections have caught up', async () => {
    const account = { name: 'Shop', email: 'shop@example.com', plan: 'free', requestsPerSecond: 10 } as const;
    const shown: CreatedAccount[] = [];
    const isReadable = await service.withStores(async ({ commands, operator }) => {
      const command = accountCreation(account, new Date(), operator);
      const created = await showOnce(commands, {
        ...{ command, ifUnknown: '' },
        show: (one) => shown.push(one),
      });
      const before = await created.isReadable(0);
      await service.startRole('projections');
      return [before, await created.isReadable(60_000)];
    });
    await service.startRole('api');
    const { status } = await createClient(service.addressOf('api'), shown[0]?.liveKey ?? '').get(
      '/v1/webhooks',
    );
    expect([isReadable, status]).to.deep.equal([[false, true], 200]);
  });
});
