import { expect } from 'chai';

import { createWebhookLookup } from '../../../../api/resources/webhooks/webhookLookup.js';
import { openAccount } from '../../support/accounts.js';
import { createTenant } from '../../support/tenants.js';
import { createWebhook } from '../../support/webhooks.js';

describe('The webhooks of an account for its health', () => {
  it('are all webhooks, or those of one tenant, but no more than the limit', async () => {
    const account = await openAccount();
    const tenant = await createTenant(account, 'customer-1');
    const created: string[] = [];
    for (const tenantId of [null, '*', tenant.id, tenant.id]) {
      created.push((await createWebhook(account.live, { events: ['never'], tenantId })).id);
    }
    await account.live.delete(`/v1/webhooks/${created.pop() ?? ''}`);
    const owner = { accountId: account.id, mode: 'live', tenant: null } as const;
    const found = await account.service.withStores(async ({ models }) => {
      const lookup = createWebhookLookup(models.webhooks);
      const idsOf = async (tenantId: string | null | undefined, limit: number) =>
        (await lookup.all(owner, tenantId, limit))?.map(({ id }) => id) ?? null;
      return Promise.all([
        idsOf(undefined, 3),
        idsOf(undefined, 2),
        idsOf(null, 1),
        idsOf('*', 1),
        idsOf(tenant.id, 1),
        idsOf('unknown', 1),
      ]);
    });
    const [platform = '', everyone = '', customer = ''] = created;
    expect(found).to.deep.equal([created.toReversed(), null, [platform], [everyone], [customer], []]);
  });
});
