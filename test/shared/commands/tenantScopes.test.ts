import { expect } from 'chai';

import type { Caller } from '../../../api/http/context.js';
import type { Stores } from '../../../cli/environment/stores.js';
import type { ReplayRequested } from '../../../shared/domain/replays/replay.js';
import { tenantIdOf } from '../../../shared/store/models/documents.js';
import { allPartitions } from '../../../shared/store/models/modelProgress.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { sharedService, type SharedService } from '../../support/service.js';
import { callerOf, delayedLog, fresh, outcomeOf, settings, startProcess } from './commandProcess.js';

const topics = ['webhooks', 'replays', 'tenants'] as const;

describe('Commands on the resources of tenants', () => {
  let service: SharedService;
  let client: Client;
  let caller: Caller;
  let receiver: Receiver;
  let count = 0;

  before(async () => {
    service = await sharedService();
    receiver = await startReceiver();
  });

  beforeEach(async () => {
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    caller = callerOf(account.id);
  });

  const newTenant = async () => {
    count += 1;
    const id = `customer-${count}`;
    expect((await client.put(`/v1/tenants/${id}`, {})).status).to.equal(201);
    return id;
  };

  const scopeOf = (tenantId: string | null) =>
    tenantId === null ? caller.accountId : tenantIdOf(caller.accountId, 'live', tenantId);

  /** Changes the end of the lease of a tenant or of the account. */
  const endLease = ({ mongo }: Stores, tenantId: string | null, until: Date) =>
    mongo.database
      .collection<{ readonly _id: string }>('leases')
      .updateOne({ _id: scopeOf(tenantId) }, { $set: { until } });

  const expireLease = (stores: Stores, tenantId: string | null) => endLease(stores, tenantId, new Date(1));
  const occupyLease = (stores: Stores, tenantId: string | null) =>
    endLease(stores, tenantId, new Date(Date.now() + 60_000));

  const untilProjected = async ({ offsets, progress }: Stores) => {
    for (const topic of topics) {
      const ends = allPartitions(await offsets.ends(topic));
      expect(await progress[topic].reached(topic, ends, 20_000)).to.equal(true);
    }
  };

  const webhooksOf = async ({ models }: Stores, tenantId: string) =>
    (await models.webhooks.findAll({ accountId: caller.accountId, tenantId })).documents.map(
      ({ status }) => status,
    );

  const create = (process: ReturnType<typeof startProcess>, tenantId: string | null) =>
    outcomeOf(
      process.webhooks.create(caller, { ...settings, url: receiver.url, events: ['*'], tenantId }, fresh()),
    );

  const remove = (process: ReturnType<typeof startProcess>, tenantId: string) =>
    outcomeOf(process.tenants.remove(caller, tenantId, fresh()).then((isRemoved) => ({ isRemoved })));

  /** Posts an event for a tenant, and returns the number of its deliveries. */
  const deliveriesOf = async (tenantId: string) => {
    const { body } = await client.post('/v1/events', { type: 'a', data: {}, tenantId });
    return eventually('all deliveries', async () => {
      const event = (await client.get(`/v1/events/${String(body['id'])}`)).body;
      return event['deliveriesComplete'] === true ? (event['deliveries'] as readonly unknown[]).length : null;
    });
  };

  const webhookOf = async (tenantId: string | null) => {
    const body = { url: receiver.url, events: ['*'], tenantId };
    return String((await client.post('/v1/webhooks', body)).body['id']);
  };

  it('do not wait for commands of another tenant, of every tenant or of the account', async () => {
    const [busy, free] = [await newTenant(), await newTenant()];
    await webhookOf('*');
    await service.withStores(async (stores) => {
      await occupyLease(stores, busy);
      const outcomes: string[] = [];
      const waiting = create(startProcess(stores, service), busy).then((outcome) => outcomes.push(outcome));
      const others = [
        await create(startProcess(stores, service), free),
        await create(startProcess(stores, service), null),
        await create(startProcess(stores, service), '*'),
      ];
      expect([others, outcomes]).to.deep.equal([['done', 'done', 'done'], []]);
      await expireLease(stores, busy);
      await waiting;
      expect(outcomes).to.deep.equal(['done']);
    });
  });

  it('of every kind do not wait for commands of the account', async () => {
    const tenantId = await newTenant();
    await webhookOf(null);
    await service.withStores(async (stores) => {
      await occupyLease(stores, null);
      const id = await webhookOf(tenantId);
      const { body: event } = await client.post('/v1/events', { type: 'a', data: {}, tenantId });
      await eventually('a delivery', async () => {
        const { body } = await client.get(`/v1/events/${String(event['id'])}`);
        return (body['deliveries'] as readonly unknown[]).length > 0 ? true : null;
      });
      const replay = { webhookId: id, since: '2020-01-01T00:00:00Z', only: 'failed' };
      const created = await client.post('/v1/replays', replay);
      const answers = [
        created,
        await client.post(`/v1/replays/${String(created.body['id'])}/cancel`, {}),
        await client.post(`/v1/events/${String(event['id'])}/resend`, {}),
        await client.patch(`/v1/webhooks/${id}`, { description: 'changed' }),
        await client.post(`/v1/webhooks/${id}/rotate-secret`, {}),
        await client.delete(`/v1/webhooks/${id}`),
        await client.delete(`/v1/tenants/${tenantId}/portal-sessions`),
      ];
      await expireLease(stores, null);
      expect(answers.map(({ status }) => status)).to.deep.equal([202, 200, 202, 200, 200, 200, 200]);
    });
  });

  it('do not fence commands of another tenant', async () => {
    const [late, other] = [await newTenant(), await newTenant()];
    await service.withStores(async (stores) => {
      const delayed = delayedLog(stores.log);
      const outcomes = [
        await create(startProcess(stores, service, delayed.log), late),
        await create(startProcess(stores, service, delayedLog(stores.log).log), other),
      ];
      await expireLease(stores, other);
      // The takeover appends fences of the other tenant to all partitions.
      outcomes.push(await create(startProcess(stores, service), other));
      await delayed.arrive();
      await untilProjected(stores);

      expect([outcomes, await webhooksOf(stores, late)]).to.deep.equal([
        ['unknown', 'unknown', 'done'],
        ['active'],
      ]);
    });
  });

  describe('that create a webhook while its tenant is deleted', () => {
    it('leave no webhook if the deletion is first, and the creation arrives late', async () => {
      const tenantId = await newTenant();
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const process = startProcess(stores, service);
        const outcomes = [await create(startProcess(stores, service, delayed.log), tenantId)];
        await expireLease(stores, tenantId);
        outcomes.push(await remove(process, tenantId));
        await delayed.arrive();
        await untilProjected(stores);
        outcomes.push(await create(process, tenantId));

        expect([outcomes, await webhooksOf(stores, tenantId), await deliveriesOf(tenantId)]).to.deep.equal([
          ['unknown', 'done', 'tenant_unknown'],
          [],
          0,
        ]);
      });
    });

    it('leave a deleted webhook if the creation is first, and its answer was lost', async () => {
      const tenantId = await newTenant();
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const outcomes = [await create(startProcess(stores, service, delayed.log), tenantId)];
        await delayed.arrive();
        await expireLease(stores, tenantId);
        outcomes.push(await remove(startProcess(stores, service), tenantId));

        expect([outcomes, await webhooksOf(stores, tenantId), await deliveriesOf(tenantId)]).to.deep.equal([
          ['unknown', 'done'],
          ['deleted'],
          0,
        ]);
      });
    });

    it('keep the webhook and its tenant if the creation is first, and the deletion arrives late', async () => {
      const tenantId = await newTenant();
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const process = startProcess(stores, service);
        const outcomes = [await remove(startProcess(stores, service, delayed.log), tenantId)];
        await expireLease(stores, tenantId);
        outcomes.push(await create(process, tenantId));
        await delayed.arrive();
        await untilProjected(stores);
        const kept = [await webhooksOf(stores, tenantId), await deliveriesOf(tenantId)];
        outcomes.push(await remove(process, tenantId));

        expect([outcomes, kept, await webhooksOf(stores, tenantId)]).to.deep.equal([
          ['unknown', 'done', 'done'],
          [['active'], 1],
          ['deleted'],
        ]);
      });
    });

    it('are rejected if the deletion is first, and its answer was lost', async () => {
      const tenantId = await newTenant();
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const outcomes = [await remove(startProcess(stores, service, delayed.log), tenantId)];
        await delayed.arrive();
        await expireLease(stores, tenantId);
        outcomes.push(await create(startProcess(stores, service), tenantId));

        expect([outcomes, await webhooksOf(stores, tenantId)]).to.deep.equal([
          ['unknown', 'tenant_unknown'],
          [],
        ]);
      });
    });
  });

  describe('that request a replay while the tenant of its webhook is deleted', () => {
    const request = async (process: ReturnType<typeof startProcess>, webhookId: string) => {
      const filter: ReplayRequested['filter'] = {
        ...{ since: new Date(0), until: new Date(), types: null, only: 'failed' },
      };
      const boundary = { eventsBelow: [], eventsBelowIds: [] };
      return outcomeOf(
        process.replays.create({ caller, identity: fresh(), webhookId, filter, ...boundary, tenantFrom: [] }),
      );
    };

    const replaysOf = async ({ models }: Stores, webhookId: string) =>
      (await models.replays.findAll({ accountId: caller.accountId, webhookId })).documents.length;

    it('leave no replay if the deletion is first, and the request arrives late', async () => {
      const tenantId = await newTenant();
      const webhookId = await webhookOf(tenantId);
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const outcomes = [await request(startProcess(stores, service, delayed.log), webhookId)];
        await expireLease(stores, tenantId);
        outcomes.push(await remove(startProcess(stores, service), tenantId));
        await delayed.arrive();
        await untilProjected(stores);

        expect([outcomes, await replaysOf(stores, webhookId)]).to.deep.equal([['unknown', 'done'], 0]);
      });
    });

    it('are rejected once the tenant is deleted, even if its webhook still exists', async () => {
      const tenantId = await newTenant();
      const webhookId = await webhookOf(tenantId);
      await service.withStores(async (stores) => {
        const delayed = delayedLog(stores.log);
        const outcomes = [await remove(startProcess(stores, service, delayed.log), tenantId)];
        await delayed.arrive();
        await expireLease(stores, tenantId);
        outcomes.push(await request(startProcess(stores, service), webhookId));

        expect([
          outcomes,
          await webhooksOf(stores, tenantId),
          await replaysOf(stores, webhookId),
        ]).to.deep.equal([['unknown', 'resource_missing'], ['active'], 0]);
      });
    });
  });
});
