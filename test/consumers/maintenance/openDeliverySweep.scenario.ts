import { expect } from 'chai';

import type { Stores } from '../../../cli/environment/stores.js';
import { createCancelOpenDeliveries } from '../../../consumers/maintenance/cancelOpenDeliveries.js';
import { createSweep, type Sweep } from '../../../consumers/maintenance/openDeliverySweep.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { WebhookFact } from '../../../shared/domain/webhooks/webhook.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { offsetsBehind } from '../../../shared/store/models/modelProgress.js';
import { createClient, type Client } from '../../support/client.js';
import {
  deferred,
  failed,
  failedForGood,
  matched,
  requested,
  succeeded,
} from '../../support/deliveryFacts.js';
import { eventually } from '../../support/eventually.js';
import { contextOf, testActor } from '../../support/facts.js';
import { startService, type TestService } from '../../support/service.js';

type DeliveryFactInContext = ReturnType<typeof failed>;

const identifiers = createIdentifiers(createRandom());
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
/** Longer than the test, so that no retry becomes due. */
const later = new Date(Date.now() + 3_600_000);

describe('the sweep of ended webhooks', () => {
  let service: TestService;
  let accountId: string;
  let client: Client;
  let webhookId: string;

  before(async () => {
    // Without a delivery process, which would sweep too, and cancel the deliveries itself.
    service = await startService({}, ['projections', 'api']);
  });

  beforeEach(async () => {
    const account = await service.createAccount();
    accountId = account.id;
    client = createClient(service.address, account.liveKey);
    const webhook = { url: 'http://127.0.0.1:1/hook', events: ['nothing.sent'] };
    webhookId = String((await client.post('/v1/webhooks', webhook)).body['id']);
  });

  const withStores = <Result>(work: (stores: Stores) => Promise<Result>) => service.withStores(work);

  const deliveryOf = async (eventId: string) => {
    const { body } = await client.get(`/v1/events/${eventId}`);
    return (body['deliveries'] as readonly Record<string, unknown>[])[0];
  };

  const homeOf = (eventId: string) => placementOf({ id: eventId }, service.config.topics.partitions);

  /** An event whose delivery to the webhook has these facts. */
  const eventWith = async ({ log }: Stores, ...facts: readonly DeliveryFactInContext[]): Promise<string> => {
    const eventId = String(
      (await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id'],
    );
    for (const fact of facts) {
      const context = { id: identifiers.createRecordId(new Date()), key: eventId, accountId };
      const ofWebhook = { ...fact, value: { ...fact.value, webhookId } } as DeliveryFactInContext;
      await log.append(deliveryRecords.encode(ofWebhook, contextOf(eventId, context), homeOf(eventId)));
    }
    await eventually('the delivery in the model', async () => (await deliveryOf(eventId)) ?? null);
    return eventId;
  };

  const append = ({ log }: Stores, fact: WebhookFact) => {
    const context = { id: identifiers.createRecordId(new Date()), accountId };
    return log.append(webhookRecords.encode(fact, contextOf(webhookId, context)));
  };

  const disable = (stores: Stores, epoch = 0) =>
    append(stores, {
      type: 'postrider.webhook.disabled',
      value: { reason: 'manual', epoch, actor: testActor },
    });

  const enable = (stores: Stores) =>
    append(stores, { type: 'postrider.webhook.enabled', value: { actor: testActor } });

  const cancelOpenOf = (stores: Stores, isOurs: (home: number) => boolean) =>
    createCancelOpenDeliveries({
      events: stores.models.events,
      replays: stores.models.replays,
      progress: stores.progress.events,
      log: stores.log,
      identifiers,
      clock: () => new Date(),
      isOurs,
    });

  const sweepOf = (stores: Stores): Sweep =>
    createSweep({
      models: stores.models,
      offsets: stores.offsets,
      logger,
      now: () => performance.now(),
      settledAfterMs: 60_000,
      cancelOpen: cancelOpenOf(stores, () => true),
    });

  /** Sweeps until the event's delivery has the expected state. */
  const sweepUntil = async (stores: Stores, eventId: string, status: string) => {
    const sweep = sweepOf(stores);
    sweep.start();
    try {
      return await eventually(`a delivery that is ${status}`, async () => {
        const delivery = await deliveryOf(eventId);
        return delivery?.['status'] === status ? delivery : null;
      });
    } finally {
      await sweep.stop();
    }
  };

  const open = {
    'was deferred': [deferred(later)],
    'waits for a retry': [failed({ nextAttemptAt: later })],
    'was asked for again': [succeeded(), requested(1)],
  };
  for (const [state, facts] of Object.entries(open)) {
    it(`cancels a delivery that ${state}, if its webhook was deleted`, async () => {
      const delivery = await withStores(async (stores) => {
        const eventId = await eventWith(stores, ...facts);
        await client.delete(`/v1/webhooks/${webhookId}`);
        return sweepUntil(stores, eventId, 'canceled');
      });
      expect(delivery['error']).to.deep.include({ code: 'webhook_deleted' });
    });
  }

  it('cancels a delivery that was matched, if its webhook ended before the record of its webhooks', async () => {
    const delivery = await withStores(async (stores) => {
      await disable(stores);
      const eventId = String(
        (await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id'],
      );
      const context = { id: identifiers.createRecordId(new Date()), key: eventId, accountId };
      const fact = matched({ [webhookId]: null });
      const record = deliveryRecords.encode(fact, contextOf(eventId, context), homeOf(eventId));
      await stores.log.append(record);
      const open = await eventually(
        'the delivery in the model',
        async () => (await deliveryOf(eventId)) ?? null,
      );
      expect(open).to.include({ status: 'pending', nextAttemptAt: null });
      return sweepUntil(stores, eventId, 'canceled');
    });
    expect(delivery['error']).to.deep.include({ code: 'webhook_disabled' });
  });

  it('cancels a pending delivery if its webhook was disabled', async () => {
    const delivery = await withStores(async (stores) => {
      const eventId = await eventWith(stores, failed({ nextAttemptAt: later }));
      await disable(stores);
      return sweepUntil(stores, eventId, 'canceled');
    });
    expect(delivery).to.deep.include({ statusCode: 500, nextAttemptAt: null });
  });

  it('cancels an older delivery if its webhook was disabled and enabled again', async () => {
    const delivery = await withStores(async (stores) => {
      const eventId = await eventWith(stores, failed({ nextAttemptAt: later }));
      await disable(stores);
      const enabledAt = await enable(stores);
      await stores.progress.webhooks.reached('webhooks', offsetsBehind([enabledAt]), 20_000);
      return sweepUntil(stores, eventId, 'canceled');
    });
    expect(delivery['error']).to.deep.include({ code: 'webhook_disabled' });
  });

  it('does not cancel a delivery that was scheduled after its webhook was enabled again', async () => {
    const delivery = await withStores(async (stores) => {
      const old = await eventWith(stores, failed({ nextAttemptAt: later }));
      await disable(stores);
      await enable(stores);
      const recent = await eventWith(stores, failed({ nextAttemptAt: later, epoch: 1 }));
      await sweepUntil(stores, old, 'canceled');
      return deliveryOf(recent);
    });
    expect(delivery).to.include({ status: 'retrying' });
  });

  it('does not cancel a final delivery', async () => {
    const delivery = await withStores(async (stores) => {
      const failedBefore = await eventWith(stores, failedForGood());
      const waiting = await eventWith(stores, failed({ nextAttemptAt: later }));
      await disable(stores);
      await sweepUntil(stores, waiting, 'canceled');
      return deliveryOf(failedBefore);
    });
    expect(delivery).to.include({ status: 'failed' });
  });

  it('does not cancel deliveries that another process owns', async () => {
    const { canceled, statuses } = await withStores(async (stores) => {
      const theirEvent = await eventWith(stores, failed({ nextAttemptAt: later }));
      let ourEvent = theirEvent;
      while (homeOf(ourEvent) === homeOf(theirEvent)) {
        ourEvent = await eventWith(stores, failed({ nextAttemptAt: later }));
      }
      const ended = { id: webhookId, accountId, mode: 'live', ended: 'disabled', openFromEpoch: 1 } as const;
      const cancelOpen = cancelOpenOf(stores, (home) => home === homeOf(ourEvent));
      const count = await cancelOpen(ended, new AbortController().signal);
      const found = [theirEvent, ourEvent].map(async (id) => (await deliveryOf(id))?.['status']);
      return { canceled: count, statuses: await Promise.all(found) };
    });
    expect([canceled, statuses]).to.deep.equal([1, ['retrying', 'canceled']]);
  });

  it('cancels a retry of an attempt that ended after the first pass', async () => {
    const delivery = await withStores(async (stores) => {
      const first = await eventWith(stores, failed({ nextAttemptAt: later }));
      await disable(stores);
      const sweep = sweepOf(stores);
      sweep.start();
      try {
        const statusOf = async (eventId: string) => (await deliveryOf(eventId))?.['status'];
        await eventually('the first', async () => ((await statusOf(first)) === 'canceled' ? true : null));
        const second = await eventWith(stores, failed({ nextAttemptAt: later }));
        return await eventually('the second', async () =>
          (await statusOf(second)) === 'canceled' ? deliveryOf(second) : null,
        );
      } finally {
        await sweep.stop();
      }
    });
    expect(delivery?.['error']).to.deep.include({ code: 'webhook_disabled' });
  });
});
