import { expect } from 'chai';

import { createWebhookLookup } from '../../../../api/resources/webhooks/webhookLookup.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';
import { deletedWebhooks, openStoredModels, webhookDocument } from '../../../support/storedModels.js';

const owner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;

/** More webhooks than two pages have. Half of them were created in the same millisecond. */
const existing = Array.from({ length: 2500 }, (_, number) =>
  webhookDocument({
    id: testIdentifier('wh', number),
    status: number % 4 === 0 ? 'disabled' : 'active',
    version: number,
    created: secondsLater(number % 2),
    tenantId: number % 5 === 0 ? 'customer-5' : null,
  }),
);

describe('The pages of webhooks', () => {
  it('contain each existing webhook of an account once, or each one of a tenant', async () => {
    const { collectionOf, models } = await openStoredModels('webhooks');
    await collectionOf('webhooks').insertMany([...existing, ...deletedWebhooks(owner.accountId, 500)]);
    const lookup = createWebhookLookup(models.webhooks);

    for (const tenantId of [undefined, null, 'customer-5', 'unknown']) {
      const found: string[] = [];
      for await (const page of lookup.pages(owner, tenantId)) {
        found.push(...page.map(({ id, status, version }) => `${id} ${status} ${version}`));
      }
      const expected = existing
        .filter((webhook) => tenantId === undefined || webhook.tenantId === tenantId)
        .flatMap((webhook) =>
          webhook.status === 'deleted' ? [] : [`${webhook._id} ${webhook.status} ${webhook.version}`],
        );

      expect(found.toSorted(), String(tenantId)).to.deep.equal(expected.toSorted());
    }
  });
});
