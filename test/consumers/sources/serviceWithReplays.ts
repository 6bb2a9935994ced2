import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import { eventSchema } from '../../../api/resources/events/routes.js';
import { dryRunSchema } from '../../../api/resources/replays/routes.js';
import type { RoleName } from '../../../cli/roles/runRole.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { read, type Client } from '../../api/support/client.js';
import { createReplay, readReplay, replayOnce, spanOf } from '../../api/support/replays.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { appendEvents, type AppendedEvent } from '../../support/appendEvents.js';
import { eventually } from '../../support/eventually.js';
import { start } from '../../support/facts.js';
import { readTopic } from '../../support/readTopic.js';
import { startReceiver, type Answer, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import type { Settings } from '../../support/settings.js';

/** The ids of the events at a receiver, in the order of their arrival. */
export function idsAt({ requests }: Receiver): readonly string[] {
  return requests.map(({ headers }) => String(headers['webhook-id']));
}

/**
 * An account in a separate service, with the actions of the tests of replays.
 * @param started the roles that run from the start; all by default
 */
export function serviceWithReplays(settings: Settings = {}, started?: readonly RoleName[]) {
  const identifiers = createIdentifiers(createRandom());
  let service: TestService;

  before(async () => {
    const own = { POSTRIDER_PARTITIONS: '1', POSTRIDER_RETRY_SCHEDULE: '1s', ...settings };
    service = await startService(own, started);
  });

  /** The records of a type and a replay in the log, each with its event, its cycle and its time. */
  const recordsOf = (type: string, replayId: string) =>
    service.withStores(async (stores) => {
      const ends = await stores.offsets.ends('deliveries');
      const count = ends.reduce((sum, end) => sum + end, 0);
      const records = await readTopic(stores, `${service.config.topics.prefix}deliveries`, count);
      return records
        .filter(({ headers }) => String(headers?.['ce_type']) === type)
        .map(({ key, value, headers }) => {
          const { replayId: of, cycle } = JSON.parse(String(value)) as { replayId: string; cycle: number };
          return { eventId: String(key), of, cycle, at: Date.parse(String(headers?.['ce_time'])) };
        })
        .filter(({ of }) => of === replayId);
    });

  /** The retry records of the tier of 20 minutes, each with its event, its cycle and its due time. */
  const scheduledRetries = () =>
    service.withStores(async (stores) => {
      const ends = await stores.offsets.ends('deliveries.retry.20m');
      const count = ends.reduce((sum, end) => sum + end, 0);
      const records = await readTopic(stores, `${service.config.topics.prefix}deliveries.retry.20m`, count);
      return records.map(({ key, value }) => {
        const { cycle, due } = JSON.parse(String(value)) as { cycle: number; due: string };
        return { eventId: String(key), cycle, due };
      });
    });

  const handOversOf = (replayId: string) => recordsOf('postrider.delivery.requested', replayId);

  return {
    service: () => service,
    handOversOf,
    scheduledRetries,
    withdrawalsOf: (replayId: string) => recordsOf('postrider.delivery.canceled', replayId),
    parkedOf: (replayId: string) => recordsOf('postrider.delivery.deferred', replayId),
    /** The number of replays that the delivery role runs. */
    running: async () => {
      const text = await (await fetch(`${service.addressOf('delivery')}/metrics`)).text();
      return Number(/^postrider_replays_running (\d+)$/mu.exec(text)?.[1]);
    },
    receiver: startReceiver,
    account: async () => actionsOf(await openAccount(service)),
    /** An account with a webhook that has missed this number of events. */
    missed: async (count: number, answer?: Answer) => {
      const actions = actionsOf(await openAccount(service));
      const events = await actions.append(Array.from({ length: count }, () => ({ created: start })));
      const receiver = await startReceiver(answer);
      const { id: webhookId } = await actions.webhook(receiver.url);
      // An event counts as missing only when delivery has passed it.
      await eventually('all events to be missing', async () =>
        (await actions.dryRun({ webhookId, only: 'missing' })) === count ? true : null,
      );
      return { actions, events, receiver, webhookId };
    },
    /** Appends the record by which a replay requests the delivery of this event. */
    appendHandOver: (account: { id: string }, eventId: string, webhookId: string, replayId: string) =>
      service.withStores(({ log }) => {
        const at = new Date();
        const context = { id: identifiers.createRecordId(at), key: eventId, accountId: account.id, at };
        const actor = { type: 'system', id: null, name: 'test' } as const;
        const value = { webhookId, cycle: 1, epoch: 0, replayId, trigger: 'replay', actor } as const;
        return log.append(
          deliveryRecords.encode(
            { type: 'postrider.delivery.requested', value },
            { ...context, mode: 'live' },
            placementOf({ id: eventId }, service.config.topics.partitions),
          ),
        );
      }),
  };
}

export type ReplayActions = ReturnType<typeof actionsOf>;

function actionsOf({ service, live, id }: TestAccount) {
  return {
    id,
    live,
    webhook: (url: string, fields = {}) => createWebhook(live, { url, ...fields }),
    append: (events: readonly AppendedEvent[]) =>
      service.withStores(({ log }) => appendEvents(log, id, events)),
    post: async (type = 'order.completed') =>
      read(await live.postJson('/v1/events', { type, data: {} }), eventSchema).id,
    dryRun: async (fields: Readonly<Record<string, unknown>>) => {
      const body = { ...spanOf(fields), ...fields, dryRun: true };
      return read(await live.postJson('/v1/replays', body), dryRunSchema).matched;
    },
    replay: (fields: Readonly<Record<string, unknown>>) => createReplay(live, fields),
    read: (replayId: string) => readReplay(live, replayId),
    once: (replayId: string, isIt: Parameters<typeof replayOnce>[2]) => replayOnce(live, replayId, isIt),
    /** Waits until the replay is completed and all of its deliveries have ended. */
    ended: (replayId: string) =>
      replayOnce(
        live,
        replayId,
        ({ status, matched, omitted, done, failed }) =>
          status === 'completed' && done + failed + (omitted ?? 0) === matched,
      ),
    settled: (eventIds: readonly string[], status: string) => settled(live, eventIds, status),
    /** The statuses of the events' only deliveries. */
    statusesOf: async (eventIds: readonly string[]) => {
      const events = await Promise.all(
        eventIds.map(async (id) => read(await live.get(`/v1/events/${id}`), eventSchema)),
      );
      return events.flatMap(({ deliveries }) => deliveries.map(({ status }) => status));
    },
    /** The triggers of an event's attempts, once there are this many. The attempts have their own model. */
    triggersOnce: (eventId: string, count: number) =>
      eventually(`${count} attempts of ${eventId}`, async () => {
        const { data } = read(await live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
        return data.length >= count ? data.map(({ trigger }) => trigger).reverse() : null;
      }),
    triggersOf: async (eventId: string) => {
      const { data } = read(await live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
      return data.map(({ trigger }) => trigger).reverse();
    },
  };
}

/** Waits until each of these events has one delivery, in this status. */
function settled(live: Client, eventIds: readonly string[], status: string) {
  return eventually(
    `${eventIds.length} events that are ${status}`,
    async () => {
      for (const id of eventIds) {
        const { deliveries } = read(await live.get(`/v1/events/${id}`), eventSchema);
        if (deliveries.length !== 1 || deliveries[0]?.status !== status) {
          return null;
        }
      }
      return true;
    },
    20_000,
  );
}
