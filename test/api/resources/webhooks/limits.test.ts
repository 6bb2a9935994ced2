import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { createRandom } from '../../../../shared/core/random.js';
import type { Mode } from '../../../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { maximumWebhooksOfTenant } from '../../../../shared/domain/webhooks/webhook.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import type { RunningRole } from '../../../../shared/runtime/role.js';
import { tenantIdOf } from '../../../../shared/store/models/documents.js';
import { eventually } from '../../../support/eventually.js';
import { contextOf } from '../../../support/facts.js';
import { webhookCreated } from '../../../support/webhookFacts.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createClient, type Client } from '../../support/client.js';

const identifiers = createIdentifiers(createRandom());
const present = 92;
const requested = 16;
const modes = ['live', 'test'] as const;
const tenantId = 'customer-1';
/** The deadline for the answers to all requests, which wait for each other, in milliseconds. */
const answeredMs = 90_000;

describe('the limit of webhooks', function () {
  this.timeout(answeredMs + 60_000);

  let account: TestAccount;
  let otherApi: RunningRole;

  before(async () => {
    account = await openAccount();
    otherApi = await startAnotherApi(account.service);
    for (const mode of modes) {
      expect((await account[mode].put(`/v1/tenants/${tenantId}`, '{}')).status).to.equal(201);
    }
  });

  const lifeOf = (mode: Mode) =>
    account.service.withStores(async ({ models }) => {
      const { documents } = await models.tenants.findInAllAccounts([tenantIdOf(account.id, mode, tenantId)]);
      return documents[0]?.lifeId ?? null;
    });

  const countOf = (mode: Mode, of: string | null) =>
    account.service.withStores(async ({ models }) => {
      const filter = { accountId: account.id, mode, tenantId: of, status: 'active' };
      return (await models.webhooks.findAll(filter)).documents.length;
    });

  /** Appends webhooks of a tenant, of every tenant or of none, and returns once the model contains them. */
  const addWebhooks = async (mode: Mode, of: string | null) => {
    const tenancy = of === tenantId ? await lifeOf(mode) : of;
    await account.service.withStores(({ log }) =>
      Promise.all(
        Array.from({ length: present }, () => {
          const at = new Date();
          const { context: _context, ...fact } = webhookCreated({ events: ['never'] });
          const id = identifiers.createRecordId(at);
          const context = { id, accountId: account.id, mode, tenantId: of, tenancy };
          return log.append(webhookRecords.encode(fact, contextOf(identifiers.create('wh', at), context)));
        }),
      ),
    );
    await eventually('the webhooks', async () => ((await countOf(mode, of)) === present ? true : null));
  };

  /** Creates a webhook. A request that found no free lease in time is repeated with its key. */
  const create = (client: Client, of: string | null, key: string = randomUUID()) => {
    const headers = { 'idempotency-key': key };
    const body = { url: 'https://example.com/', events: ['never'], tenantId: of };
    return eventually(
      'an answer',
      async () => {
        const response = await client.postJson('/v1/webhooks', body, headers);
        return response.status === 503 ? null : response;
      },
      answeredMs,
    );
  };

  for (const [of, what] of [
    [tenantId, 'a tenant'],
    [null, 'an account without its tenants'],
    ['*', 'every tenant'],
  ] as const) {
    it(`is exact for the webhooks of ${what}, if 16 requests to two APIs create webhooks`, async () => {
      await addWebhooks('live', of);
      const clients = [account.live, createClient(otherApi.address, account.liveKey)];
      const responses = await Promise.all(
        Array.from({ length: requested }, (_, index) => create(clients[index % 2] ?? account.live, of)),
      );
      const created = responses.filter(({ status }) => status === 201);
      const rejected = responses.filter(({ status }) => status === 400);

      const free = maximumWebhooksOfTenant - present;
      expect([created.length, rejected.length, await countOf('live', of)]).to.deep.equal([
        free,
        requested - free,
        maximumWebhooksOfTenant,
      ]);
      // Test mode has its own limit.
      expect([(await create(account.test, of)).status, await countOf('test', of)]).to.deep.equal([201, 1]);

      // A rejection is not stored, so the same request succeeds after a deletion.
      const key = randomUUID();
      expect((await create(account.live, of, key)).status).to.equal(400);
      const { id } = JSON.parse(created[0]?.text ?? '{}') as { readonly id: string };
      await account.live.delete(`/v1/webhooks/${id}`);
      expect((await create(account.live, of, key)).status).to.equal(201);
    });
  }
});
