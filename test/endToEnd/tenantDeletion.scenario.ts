import { expect } from 'chai';

import type { Stores } from '../../cli/environment/stores.js';
import { createSettledLives } from '../../projections/erasure/settledLives.js';
import { createTenantErasure } from '../../projections/erasure/tenantErasure.js';
import { createLogger } from '../../shared/core/logger.js';
import { createRandom } from '../../shared/core/random.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import { deliveryGroup } from '../../shared/log/topics/groups.js';
import { createAccountReservations } from '../../shared/store/coordination/accountReservations.js';
import { createLeases } from '../../shared/store/coordination/leases.js';
import { tenantIdOf } from '../../shared/store/models/documents.js';
import { createTenantDocuments } from '../../shared/store/queries/tenantDocuments.js';
import { createEndedLives } from '../../shared/tenants/endedLives.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { testActor } from '../support/facts.js';
import { runProgram } from '../support/program.js';
import { readTopic } from '../support/readTopic.js';
import { startReceiver, type Answer } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

const identifiers = createIdentifiers(createRandom());
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const noAnswer: Answer = () => undefined;
const failure: Answer = (_request, response) => {
  response.statusCode = 500;
  response.end();
};

/** The time after which an erasure is settled, with the time of a rebuild. */
const settledMs = 90_000;

type Listed = readonly Readonly<Record<string, unknown>>[];

describe('the deletion of a tenant', () => {
  let service: TestService;
  let accountId: string;
  let client: Client;

  before(async () => {
    service = await startService({ POSTRIDER_WEBHOOK_CONCURRENCY: '1', POSTRIDER_RETRY_SCHEDULE: '1h' });
  });

  beforeEach(async () => {
    const account = await service.createAccount();
    accountId = account.id;
    client = createClient(service.address, account.liveKey);
  });

  const put = (tenantId: string) => client.put(`/v1/tenants/${tenantId}`, {});
  const remove = (tenantId: string) => client.delete(`/v1/tenants/${tenantId}`);
  const post = async (tenantId: string) => {
    const { body } = await client.post('/v1/events', { type: 'a', data: {}, tenantId });
    return String(body['id']);
  };
  const receive = async (tenantId: string, answer?: Answer) => {
    const receiver = await startReceiver(answer);
    const created = await client.post('/v1/webhooks', { url: receiver.url, events: ['*'], tenantId });
    return { receiver, webhookId: String(created.body['id']) };
  };
  const eventsOf = async (tenantId: string, by = client) => {
    const { body } = await by.get(`/v1/events?limit=100&tenantId=${tenantId}`);
    return (body['data'] as Listed).map(({ id }) => String(id)).sort();
  };
  /** The events that the present life of a tenant sees in the customer portal. */
  const seenBy = async (tenantId: string) => {
    const { body } = await client.post(`/v1/tenants/${tenantId}/portal-sessions`, {});
    return eventsOf(tenantId, createClient(service.address, String(body['token'])));
  };
  const listed = (...ids: readonly string[]) =>
    eventually('the events in the list', async () => {
      const found = await Promise.all(ids.map((id) => client.get(`/v1/events/${id}`)));
      return found.every(({ status }) => status === 200) ? true : null;
    });
  const untilRemoved = (tenantId: string) =>
    eventually('the removal of the events', async () =>
      (await eventsOf(tenantId)).length === 0 ? true : null,
    );
  const tenantOf = ({ models }: Stores, tenantId: string) =>
    models.tenants
      .findInAllAccounts([tenantIdOf(accountId, 'live', tenantId)])
      .then(({ documents }) => documents[0]);

  /** The error codes of the canceled deliveries in the log, by event. */
  const canceledIn = (ids: readonly string[]) =>
    service.withStores(async ({ kafka, offsets }) => {
      const ends = await offsets.ends('deliveries');
      const topic = `${service.config.topics.prefix}deliveries`;
      const records = await readTopic(
        { kafka },
        topic,
        ends.reduce((sum, end) => sum + end, 0),
      );
      return new Map(
        records
          .filter(({ key, headers }) => {
            const type = String(headers?.['ce_type'] ?? '');
            return type === 'postrider.delivery.canceled' && ids.includes(String(key));
          })
          .map(({ key, value }) => {
            const { error } = JSON.parse(String(value)) as { readonly error: { readonly code: string } };
            return [String(key), error.code] as const;
          }),
      );
    });

  /** Appends the decision of a deletion only, as an API process does that dies right after. */
  const interruptedDeletion = (tenantId: string) =>
    service.withStores(async (stores) => {
      const { lifeId = '' } = (await tenantOf(stores, tenantId)) ?? {};
      const at = new Date();
      const key = tenantKey(accountId, tenantId);
      const eventsBelow = await stores.offsets.ends('events');
      const value = {
        lifeId,
        eventsBelow,
        eventsBelowIds: eventsBelow.map(() => null),
        apiKeyIds: [],
        actor: testActor,
      };
      await stores.log.append(
        tenantRecords.encode(
          { type: 'postrider.tenant.deleted', value },
          { id: identifiers.createRecordId(at), key, accountId, mode: 'live', at, tenantId },
        ),
      );
      await eventually('the deletion', async () =>
        (await tenantOf(stores, tenantId))?.status === 'deleted' ? true : null,
      );
    });

  /** Erases all deleted tenants without the pause for attempts in flight. No attempt is in flight here. */
  const erase = (tenantId: string) =>
    service.withStores(async (stores) => {
      const { mongo, models, groups, offsets, aliases, generations, log } = stores;
      const now = () => performance.now();
      const erasure = createTenantErasure({
        ...{ log, logger, now, restMs: 100, endedLives: createEndedLives(models.tenants) },
        documents: createTenantDocuments(mongo.database),
        reservations: createAccountReservations(mongo.database),
        leases: createLeases(mongo.database),
        settled: createSettledLives({
          ...{ groups, offsets, aliases, generations, now, settledAfterMs: 0 },
          deliveryGroup: deliveryGroup(service.config.topics.prefix),
        }),
      });
      erasure.start();
      try {
        await eventually('the erasure', async () =>
          (await tenantOf(stores, tenantId))?.ended.every(({ isErased }) => isErased) === true ? true : null,
        );
      } finally {
        await erasure.stop();
      }
    });

  /** The documents with the tenant in every generation of the models of events and attempts. */
  const storedOf = (tenantId: string) =>
    service.withStores(async ({ mongo }) => {
      const names = (await mongo.database.listCollections({}, { nameOnly: true }).toArray()).map(
        ({ name }) => name,
      );
      const counts = await Promise.all(
        names
          .filter((name) => /^(events|attempts)\.v/.test(name))
          .map((name) =>
            mongo.database.collection(name).countDocuments({
              $or: [
                { accountId, tenantId },
                { accountId, ofTenant: tenantId },
                { 'entry.accountId': accountId, 'entry.ofTenant': tenantId },
              ],
            }),
          ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    });

  /** For up to a minute after an erasure, the present model may have a document that the log no longer yields. */
  const rebuild = (...models: readonly string[]) =>
    eventually(
      'the rebuild',
      async () => {
        const { code, stderr } = await runProgram(service.settings, 'rebuild', ...models, '--json');
        expect(code, stderr).to.equal(0);
        return true;
      },
      settledMs,
    );

  it('cancels attempts in flight, parked and retried deliveries to webhooks of every tenant, then removes the events', async () => {
    const hanging = await receive('*', noAnswer);
    const failing = await receive('*', failure);
    await put('customer-1');
    const ids = [await post('customer-1'), await post('customer-1'), await post('customer-1')];
    await hanging.receiver.received(1);
    await failing.receiver.received(3);
    await remove('customer-1');
    await untilRemoved('customer-1');

    const canceled = await canceledIn(ids);
    expect(ids.map((id) => canceled.get(id))).to.deep.equal(ids.map(() => 'tenant_deleted'));
    expect(hanging.receiver.requests.length).to.equal(1);
    await client.delete(`/v1/webhooks/${hanging.webhookId}`);
  });

  it('sends no event of the deleted tenant that is taken up later, and an event of the next life', async () => {
    const { receiver } = await receive('*');
    await put('customer-1');
    await service.stopRole('delivery');
    await post('customer-1');
    await remove('customer-1');
    await put('customer-1');
    const next = await post('customer-1');
    await service.startRole('delivery');
    const [request] = await receiver.received(1, 40_000);

    expect(JSON.parse(String(request?.body))).to.include({ id: next });
    await eventually('the removal of the earlier event', async () =>
      (await eventsOf('customer-1')).length === 1 ? true : null,
    );
    expect([receiver.requests.length, await eventsOf('customer-1')]).to.deep.equal([1, [next]]);
  });

  it('is completed by the delivery role if the process dies after the record of the deletion', async () => {
    await put('customer-1');
    const own = await receive('customer-1');
    await interruptedDeletion('customer-1');
    await eventually('the deletion of the webhook', async () =>
      (await client.get(`/v1/webhooks/${own.webhookId}`)).status === 404 ? true : null,
    );
    const reason = await service.withStores(
      async ({ models }) => (await models.webhooks.findInAllAccounts([own.webhookId])).documents[0],
    );
    expect(reason).to.include({ status: 'deleted', reason: 'tenant_deleted' });
  });

  it('sends no event of the next life to the earlier webhooks, even if the process has died', async () => {
    await put('customer-1');
    const earlier = await receive('customer-1');
    await interruptedDeletion('customer-1');
    await put('customer-1');
    const present = await receive('customer-1');
    await post('customer-1');
    await present.receiver.received(1);
    expect(earlier.receiver.requests).to.deep.equal([]);
  });

  it('shows nothing of the earlier life to a tenant with the same id, at once', async () => {
    await put('customer-1');
    const before = await post('customer-1');
    await listed(before);
    await remove('customer-1');
    await put('customer-1');
    const seen = await seenBy('customer-1');
    const after = await post('customer-1');
    await listed(after);
    expect([seen, await seenBy('customer-1')]).to.deep.equal([[], [after]]);
  });

  it('ends the running replays of the webhooks of the tenant', async () => {
    await put('customer-1');
    const { receiver, webhookId } = await receive('customer-1', noAnswer);
    await post('customer-1');
    await receiver.received(1);
    const replay = { webhookId, since: '2020-01-01T00:00:00Z', only: 'all' };
    const { body } = await client.post('/v1/replays', replay);
    await remove('customer-1');
    await eventually('the end of the replay', async () => {
      const { status, body: found } = await client.get(`/v1/replays/${String(body['id'])}`);
      return status === 404 || found['status'] === 'canceled' ? true : null;
    });
  });

  it('is not undone by a rebuild of the models after the erasure', async () => {
    await receive('*');
    await put('customer-1');
    const own = await receive('customer-1');
    await listed(await post('customer-1'));
    await own.receiver.received(1);
    const other = await post('customer-2');
    await remove('customer-1');
    await untilRemoved('customer-1');
    await erase('customer-1');
    await rebuild('events', 'attempts', 'replays');
    expect([await storedOf('customer-1'), await eventsOf('customer-2')]).to.deep.equal([0, [other]]);
  });

  it('is not undone by a rebuild while delivery is stopped, before the erasure', async () => {
    const { receiver } = await receive('*', failure);
    await put('customer-1');
    await post('customer-1');
    await receiver.received(1);
    await service.stopRole('delivery');
    await remove('customer-1');
    await rebuild('events', 'attempts');
    await service.startRole('delivery');
    await eventually('the removal', async () => ((await storedOf('customer-1')) === 0 ? true : null));
    expect(receiver.requests.length).to.equal(1);
  });
});
