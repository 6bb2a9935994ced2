import { expect } from 'chai';

import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { createRandom } from '../../../../shared/core/random.js';
import type { Actor } from '../../../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { createApiKey } from '../../support/apiKeys.js';
import { createClient, read } from '../../support/client.js';
import { openOwner, openUser, type SignedInUser } from '../../support/signedInUsers.js';
import { createWebhook } from '../../support/webhooks.js';

const identifiers = createIdentifiers(createRandom());

/** Records of webhooks contain the ids of users and keys, and no names. The audit log finds the names. */
describe('the names of actors in the audit log', () => {
  let account: TestAccount;
  let owner: SignedInUser;
  before(async () => {
    account = await openAccount();
    owner = await openOwner(account);
  });

  /** The actor of the first entry about a webhook, once it is the expected one. */
  const actorOf = async (webhookId: string, expected: Actor) => {
    const found = async () => {
      const { data } = read(await account.live.get('/v1/audit-log?limit=100'), auditLogSchema);
      return data.find(({ resource }) => resource.id === webhookId)?.actor ?? null;
    };
    return eventually('the entry', async () => {
      const actor = await found();
      return JSON.stringify(actor) === JSON.stringify(expected) ? actor : null;
    }).catch(found);
  };

  const webhookBy = async (person: SignedInUser): Promise<string> => {
    const { text } = await person.send('POST', '/v1/webhooks', {
      body: { url: 'https://example.com/', events: ['*'] },
    });
    return (JSON.parse(text) as { readonly id: string }).id;
  };

  it('contain the name of a deleted key', async () => {
    const { id, secret } = await createApiKey(account.live, { name: 'Till' });
    const webhook = await createWebhook(createClient(account.service.address, secret));
    await account.live.delete(`/v1/api-keys/${id}`);
    const expected = { type: 'api_key', id, name: 'Till' } as const;

    expect(await actorOf(webhook.id, expected)).to.deep.equal(expected);
  });

  it('contain the last name of a deleted user', async () => {
    const ada = await openUser(account, owner, 'developer', 'ada@example.com');
    await owner.send('PATCH', `/v1/users/${ada.id}`, { body: { name: 'Ada' } });
    const webhookId = await webhookBy(ada);
    await owner.send('PATCH', `/v1/users/${ada.id}`, { body: { name: 'Ada Lovelace' } });
    await owner.send('DELETE', `/v1/users/${ada.id}`);
    const expected = { type: 'user', id: ada.id, name: 'Ada Lovelace' } as const;

    expect(await actorOf(webhookId, expected)).to.deep.equal(expected);
  });

  it('contain the id alone of a user without a name', async () => {
    const nobody = await openUser(account, owner, 'developer', 'nameless@example.com');
    const expected = { type: 'user', id: nobody.id, name: null } as const;

    expect(await actorOf(await webhookBy(nobody), expected)).to.deep.equal(expected);
  });

  it('contain the name in a record of an earlier version', async () => {
    const at = new Date();
    const key = identifiers.create('wh', at);
    const context = {
      id: identifiers.createRecordId(at),
      key,
      accountId: account.id,
      mode: 'live' as const,
      at,
    };
    const actor = { type: 'user', id: owner.id, name: 'Charles' } as const;
    const record = webhookRecords.encode({ type: 'postrider.webhook.deleted', value: { actor } }, context);
    const value = Buffer.from(JSON.stringify({ actor }));
    await account.service.withStores(({ log }) => log.append({ ...record, value }));

    expect(await actorOf(key, actor)).to.deep.equal(actor);
  });
});
