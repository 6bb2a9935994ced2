import { expect } from 'chai';
import type { z } from 'zod';

import { eventListSchema, eventSchema } from '../../api/resources/events/routes.js';
import {
  createClient as createKeyedClient,
  refusalOf,
  type Client as KeyedClient,
} from '../api/support/client.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Answer, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

type EventAnswer = z.infer<typeof eventSchema>;
type ListedAnswer = z.infer<typeof eventListSchema>['data'][number];

/** A second after delivery has taken up the last event, with room for a busy machine. */
const soonMs = 2000;
/** The attempts of a webhook in flight. */
const mostInFlight = 25;
const hangs: Answer = () => undefined;
/** A webhook has fewer attempts in flight than the events of a test. */
const settings = {
  POSTRIDER_ATTEMPT_TIMEOUT: '8s',
  POSTRIDER_PARTITIONS: '3',
  POSTRIDER_RETRY_SCHEDULE: '1h',
};

describe('pending deliveries', () => {
  let service: TestService;
  let client: Client;
  /** A client of the same account, whose requests may have an idempotency key. */
  let keyedClient: KeyedClient;
  let receivers: Receiver[];

  before(async () => {
    service = await startService(settings);
  });

  beforeEach(async () => {
    receivers = [];
    const { liveKey } = await service.createAccount();
    client = createClient(service.address, liveKey);
    keyedClient = createKeyedClient(service.address, liveKey);
  });
  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

  const createWebhook = async (answer: Answer | undefined, events: readonly string[]) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    const { body } = await client.post('/v1/webhooks', { url: receiver.url, events });
    return { id: String(body['id']), receiver };
  };

  const post = async (type = 'order.completed') =>
    String((await client.post('/v1/events', { type, data: {} })).body['id']);

  const shown = async (id: string) => eventSchema.parse((await client.get(`/v1/events/${id}`)).body);

  const shownWhen = (id: string, what: string, isIt: (event: EventAnswer) => boolean) =>
    eventually(what, async () => {
      const event = await shown(id);
      return isIt(event) ? event : null;
    });

  it('are shown for each of 150 events within two seconds of the last post, behind a webhook that hangs', async () => {
    const { id: webhookId } = await createWebhook(hangs, ['*']);
    const ids = await Promise.all(Array.from({ length: 150 }, () => post()));
    const postedAt = performance.now();
    const listed = await eventually('all deliveries', async () => {
      const found = await eventsOf(webhookId);
      return found.length === ids.length ? found : null;
    });
    const tookMs = performance.now() - postedAt;
    const pending = await eventsOf(webhookId, '&deliveryStatus=pending');
    expect(listed.map(({ id }) => id).sort()).to.deep.equal([...ids].sort());
    expect(listed.every(({ deliveriesComplete }) => deliveriesComplete)).to.equal(true);
    // On a busy machine, the attempts in flight may have ended with a timeout.
    expect(pending.length).to.be.at.least(ids.length - mostInFlight);
    expect(tookMs).to.be.below(soonMs);
  });

  const eventsOf = async (webhookId: string, filter = ''): Promise<readonly ListedAnswer[]> => {
    const page = async (after: string): Promise<readonly ListedAnswer[]> => {
      const query = `limit=100&webhookId=${webhookId}${filter}${after}`;
      const { body } = await client.get(`/v1/events?${query}`);
      return eventListSchema.parse(body).data;
    };
    const first = await page('');
    const last = first.at(-1)?.id;
    return first.length < 100 || last === undefined
      ? first
      : [...first, ...(await page(`&startingAfter=${last}`))];
  };

  it('are shown for all webhooks of an event, next to a delivery that has ended', async () => {
    const slow = await createWebhook(hangs, ['*']);
    const quick = await createWebhook(undefined, ['*']);
    const event = await shownWhen(
      await post(),
      'both deliveries',
      ({ deliveries }) => deliveries.length === 2,
    );
    const statuses = Object.fromEntries(event.deliveries.map((one) => [one.webhookId, one.status]));
    expect([statuses, event.deliveriesComplete]).to.deep.equal([
      { [slow.id]: 'pending', [quick.id]: 'delivered' },
      true,
    ]);
  });

  it('are unknown while delivery is stopped, and are made afterwards', async () => {
    const { id: webhookId } = await createWebhook(undefined, ['order.completed']);
    const earlier = await post();
    await shownWhen(earlier, 'the delivery', ({ deliveriesComplete }) => deliveriesComplete);
    await service.stopRole('delivery');
    const ids = await Promise.all(['order.completed', 'for.nobody'].map(post));
    const whileStopped = await untilFolded(ids);
    await service.startRole('delivery');
    const complete = ({ deliveriesComplete }: EventAnswer) => deliveriesComplete;
    const after = await Promise.all(ids.map((id) => shownWhen(id, 'complete deliveries', complete)));
    const statuses = after.map(({ deliveries }) => deliveries.map((one) => [one.webhookId, one.status]));
    expect([whileStopped, statuses, (await shown(earlier)).deliveriesComplete]).to.deep.equal([
      [
        [[], false],
        [[], false],
      ],
      [[[webhookId, 'delivered']], []],
      true,
    ]);
  });

  it('that are unknown are resent with the same idempotency key when they are known', async () => {
    const { id: webhookId } = await createWebhook(undefined, ['order.completed']);
    await service.stopRole('delivery');
    const path = `/v1/events/${await post()}/resend`;
    const resend = (body: object) =>
      keyedClient.postJson(path, body, { 'idempotency-key': JSON.stringify(body) });
    const bodies = [{}, { webhookId }];
    const whileStopped = await Promise.all(bodies.map(resend));
    await service.startRole('delivery');
    const after = await Promise.all(
      bodies.map((body) =>
        eventually('a resend', async () => {
          const answer = await resend(body);
          return answer.status === 409 ? null : answer.status;
        }),
      ),
    );
    expect([whileStopped.map(refusalOf), after]).to.deep.equal([
      ['409 deliveries_unknown', '409 deliveries_unknown'],
      [202, 202],
    ]);
  });

  /** The deliveries of events, once the list of events has had them for longer than a set of deliveries takes. */
  const untilFolded = async (ids: readonly string[]) => {
    const since = performance.now();
    await eventually('the events in the list', async () => {
      const { body } = await client.get('/v1/events');
      const listed = eventListSchema.parse(body).data.filter(({ id }) => ids.includes(id));
      const isStillIncomplete = listed.every(({ deliveriesComplete }) => !deliveriesComplete);
      expect(isStillIncomplete).to.equal(true);
      return listed.length === ids.length && performance.now() - since > 1500 ? true : null;
    });
    const events = await Promise.all(ids.map(shown));
    return events.map(({ deliveries, deliveriesComplete }) => [deliveries, deliveriesComplete]);
  };

  it('remain if the webhook gets other types of events, and are made by another process', async () => {
    let isWell = false;
    const answer: Answer = (_request, response) => {
      if (isWell) {
        response.end();
      }
    };
    const { id: webhookId, receiver } = await createWebhook(answer, ['order.completed']);
    // Three turns of the attempts in flight, so that the last ones have not begun when delivery stops.
    const ids = await Promise.all(Array.from({ length: 3 * mostInFlight }, () => post()));
    await Promise.all(
      ids.map((id) => shownWhen(id, 'a delivery', ({ deliveries }) => deliveries.length === 1)),
    );
    await service.stopRole('delivery');
    await client.patch(`/v1/webhooks/${webhookId}`, { events: ['another.type'] });
    // The outcome of an attempt in flight may not be in the model yet, so only those without an attempt are pending.
    const begun = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    const pending = ids.filter((id) => !begun.has(id));
    isWell = true;
    await service.startRole('delivery');
    const ends = await Promise.all(
      pending.map((id) =>
        shownWhen(id, 'the end of it', ({ deliveries }) => deliveries[0]?.status === 'delivered'),
      ),
    );
    expect(pending).not.to.deep.equal([]);
    expect(ends.every(({ deliveries }) => deliveries.length === 1)).to.equal(true);
  });

  it('are canceled if the webhook is deleted', async () => {
    const { id: webhookId } = await createWebhook(hangs, ['*']);
    const ids = await Promise.all(Array.from({ length: 40 }, () => post()));
    await Promise.all(
      ids.map((id) => shownWhen(id, 'a pending delivery', ({ deliveries }) => deliveries.length === 1)),
    );
    await client.delete(`/v1/webhooks/${webhookId}`);
    const ends = await Promise.all(
      ids.map((id) =>
        shownWhen(id, 'a canceled delivery', ({ deliveries }) => deliveries[0]?.status === 'canceled'),
      ),
    );
    expect(new Set(ends.map(({ deliveries }) => deliveries[0]?.error?.code))).to.deep.equal(
      new Set(['webhook_deleted']),
    );
  });

  it('are not selected by a replay of missing deliveries, which selects the events behind them', async () => {
    const { id: webhookId } = await createWebhook(hangs, ['*']);
    const pending = await post();
    await shownWhen(pending, 'a pending delivery', ({ deliveries }) => deliveries.length === 1);
    const later = await createWebhook(undefined, ['*']);
    const counted = async (id: string) => {
      const request = { webhookId: id, since: '2026-01-01T00:00:00Z', only: 'missing', dryRun: true };
      return (await client.post('/v1/replays', request)).body['matched'];
    };
    expect([await counted(webhookId), await counted(later.id)]).to.deep.equal([0, 1]);
  });
});
