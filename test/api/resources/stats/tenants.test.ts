import { isDeepStrictEqual } from 'node:util';

import { expect } from 'chai';

import { webhookWithSecretSchema } from '../../../../api/resources/webhooks/schemas.js';
import { deliveryStatsSchema } from '../../../../api/resources/stats/routes.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { portalClient } from '../../support/tenants.js';

type Sums = readonly [events: number, succeeded: number];

async function sumsOf(client: Client, query: string): Promise<Sums> {
  const { data } = read(await client.get(`/v1/stats/deliveries?${query}`), deliveryStatsSchema);
  return data.reduce<Sums>(
    ([events, succeeded], bucket) => [events + bucket.events, succeeded + bucket.succeeded],
    [0, 0],
  );
}

/** The sums, once they are the expected ones. Each tenant and webhook has its own documents, which may be a second behind. */
function settledSumsOf(client: Client, query: string, expected: Sums): Promise<Sums> {
  const read = () => sumsOf(client, query);
  return eventually('the expected sums', async () => {
    const sums = await read();
    return isDeepStrictEqual(sums, expected) ? sums : null;
  }).catch(read);
}

const total = 'five events and nine attempts';

describe('GET /v1/stats/deliveries by tenant', () => {
  let account: TestAccount;
  let live: Client;
  let webhooks: Readonly<Record<string, string>>;

  const portalOf = (id: string) => portalClient({ account, id, mode: 'live', lifeId: '' });

  before(async () => {
    account = await openAccount();
    ({ live } = account);
    const receiver = await startReceiver();
    for (const id of ['a', 'b']) {
      expect((await live.put(`/v1/tenants/${id}`, '{}')).status).to.equal(201);
    }
    const ids: Record<string, string> = {};
    for (const tenantId of ['a', 'b', '*', null]) {
      const body = { url: receiver.url, events: ['*'], tenantId };
      ids[String(tenantId)] = read(await live.postJson('/v1/webhooks', body), webhookWithSecretSchema).id;
    }
    webhooks = ids;
    for (const tenantId of ['a', 'a', 'b', 'c', null]) {
      await live.postJson('/v1/events', { type: 'order.completed', data: {}, tenantId });
    }
    await eventually(total, async () => {
      const [events, succeeded] = await sumsOf(live, 'bucket=day');
      return events === 5 && succeeded === 9 ? true : null;
    });
  });

  for (const [tenantId, sums] of [
    ['a', [2, 2]],
    ['b', [1, 1]],
    ['c', [1, 0]],
    ['unknown', [0, 0]],
    ['null', [1, 1]],
  ] as const) {
    it(`counts the events with tenantId=${tenantId}, and the attempts of its webhooks`, async () => {
      for (const bucket of ['minute', 'hour', 'day']) {
        expect(
          await settledSumsOf(live, `bucket=${bucket}&tenantId=${tenantId}`, sums),
          bucket,
        ).to.deep.equal(sums);
      }
    });
  }

  it('counts the attempts of a webhook only with the tenant of the webhook', async () => {
    const sums = (webhook: string, tenantId: string, expected: Sums) =>
      settledSumsOf(live, `tenantId=${tenantId}&webhookId=${webhooks[webhook] ?? ''}`, expected);
    expect([
      await sums('a', 'a', [2, 2]),
      await sums('a', 'b', [0, 0]),
      await sums('a', 'null', [0, 0]),
      await sums('null', 'null', [1, 1]),
    ]).to.deep.equal([
      [2, 2],
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  it('rejects the tenant *', async () => {
    expect(refusalOf(await live.get('/v1/stats/deliveries?tenantId=*'))).to.equal(
      '400 parameter_invalid tenantId',
    );
  });

  describe('for a portal session', () => {
    it('counts the events of its tenant, and the attempts of its webhooks', async () => {
      const portal = await portalOf('a');
      expect([
        await settledSumsOf(portal, '', [2, 2]),
        await settledSumsOf(portal, 'tenantId=a', [2, 2]),
        await settledSumsOf(portal, `webhookId=${webhooks['a'] ?? ''}`, [2, 2]),
      ]).to.deep.equal([
        [2, 2],
        [2, 2],
        [2, 2],
      ]);
    });

    it('counts nothing of webhooks of another tenant, of every tenant or without one', async () => {
      const portal = await portalOf('a');
      const others = await Promise.all(
        ['b', '*', 'null'].map((name) => sumsOf(portal, `webhookId=${webhooks[name] ?? ''}`)),
      );
      expect(others).to.deep.equal([
        [0, 0],
        [0, 0],
        [0, 0],
      ]);
    });

    it('rejects another tenant', async () => {
      const portal = await portalOf('a');
      const answers = await Promise.all(
        ['b', 'null'].map((tenantId) => portal.get(`/v1/stats/deliveries?tenantId=${tenantId}`)),
      );
      expect(answers.map(refusalOf)).to.deep.equal([
        '400 parameter_invalid tenantId',
        '400 parameter_invalid tenantId',
      ]);
    });

    it('counts nothing of an earlier life of its tenant', async () => {
      await live.delete('/v1/tenants/a');
      expect((await live.put('/v1/tenants/a', '{}')).status).to.equal(201);
      const portal = await portalOf('a');
      for (const bucket of ['minute', 'hour', 'day']) {
        expect(await sumsOf(portal, `bucket=${bucket}`), bucket).to.deep.equal([0, 0]);
      }
    });
  });
});
