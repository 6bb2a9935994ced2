import type { ServerResponse } from 'node:http';

import { expect } from 'chai';

import { startDelivery } from '../../../consumers/main.js';
import { createLogger } from '../../../shared/core/logger.js';
import { allPartitions } from '../../../shared/store/models/modelProgress.js';
import { createClient as createApiClient } from '../../api/support/client.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

const failingAfterMs = 1500;
/** At most the limit of one process, so that all of them wait for the response at the same time. */
const attemptsInFlight = 20;

type Resource = Readonly<Record<string, unknown>>;

describe('the automatic disabling of webhooks', () => {
  let service: TestService;
  let liveKey: string;
  let client: Client;
  let receiver: Receiver;
  let webhookId: string;
  /** Responses that wait to be ended. */
  let held: ServerResponse[];
  /** The response of the receiver. Null leaves the request without one. */
  let answer: number | null;

  before(async () => {
    service = await startService({
      POSTRIDER_RETRY_SCHEDULE: '1h',
      POSTRIDER_FAILING_AFTER: `${failingAfterMs}ms`,
    });
  });

  beforeEach(async () => {
    ({ liveKey } = await service.createAccount());
    client = createClient(service.address, liveKey);
    held = [];
    answer = 500;
    receiver = await startReceiver((_request, response) => {
      if (answer === null) {
        held.push(response);
      } else {
        response.writeHead(answer).end();
      }
    });
    webhookId = String((await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] })).body['id']);
  });

  afterEach(() => receiver.close());

  const postEvent = async () =>
    String((await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id']);

  const webhook = async (): Promise<Resource> => (await client.get(`/v1/webhooks/${webhookId}`)).body;

  const disabledWebhook = () =>
    eventually('a webhook that is disabled', async () => {
      const found = await webhook();
      return found['status'] === 'disabled' ? found : null;
    });

  const deliveryIn = (status: string, eventId: string) =>
    eventually(`a delivery that is ${status}`, async () => {
      const { body } = await client.get(`/v1/events/${eventId}`);
      const [delivery] = body['deliveries'] as readonly Resource[];
      return delivery?.['status'] === status ? delivery : null;
    });

  /** Changes the webhook as a user does, and returns once the change can be read. */
  const change = async (update: Resource) => {
    const api = createApiClient(service.address, liveKey);
    expect((await api.patchJson(`/v1/webhooks/${webhookId}`, update)).status).to.equal(200);
  };

  /** The entries of the audit log about disablings of the webhook, once the log of webhooks is in its model. */
  const disablings = async (): Promise<readonly unknown[]> => {
    await service.withStores(async ({ offsets, progress }) => {
      const ends = allPartitions(await offsets.ends('webhooks'));
      expect(await progress.audit.reached('webhooks', ends, 20_000)).to.equal(true);
    });
    const { body } = await client.get('/v1/audit-log?limit=100');
    return (body['data'] as readonly Resource[])
      .filter(({ resource }) => (resource as Resource)['id'] === webhookId)
      .map(({ action }) => action)
      .filter((action) => action === 'webhook.disabled');
  };

  describe('a 410', () => {
    it('disables the webhook, cancels its own delivery and records the response', async () => {
      answer = 410;
      const delivery = await deliveryIn('canceled', await postEvent());
      expect(await disabledWebhook()).to.include({ disabledReason: 'gone' });
      expect(delivery).to.deep.include({
        statusCode: 410,
        attemptCount: 1,
        nextAttemptAt: null,
        error: {
          code: 'webhook_disabled',
          message: 'The webhook was disabled before the event could be delivered',
        },
      });
    });

    it('cancels pending retries of the webhook', async () => {
      const waiting = await postEvent();
      await deliveryIn('retrying', waiting);
      answer = 410;
      await postEvent();
      const delivery = await deliveryIn('canceled', waiting);
      expect(delivery['error']).to.deep.include({ code: 'webhook_disabled' });
    });

    it('adds one entry to the audit log for each epoch, no matter how many attempts of several processes get it', async () => {
      const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
      const second = await startDelivery(service.config, logger, () => new Date());
      try {
        answer = null;
        const eventIds = await Promise.all(Array.from({ length: attemptsInFlight }, postEvent));
        await receiver.received(attemptsInFlight);
        answer = 410;
        held.forEach((response) => response.writeHead(410).end());
        await Promise.all(eventIds.map((eventId) => deliveryIn('canceled', eventId)));
        expect(await disablings()).to.deep.equal(['webhook.disabled']);
        await change({ status: 'active' });
        await deliveryIn('canceled', await postEvent());
        expect(await disablings()).to.deep.equal(['webhook.disabled', 'webhook.disabled']);
      } finally {
        await second.stop();
      }
    });

    it('of an earlier URL disables nothing, and leaves its event to the schedule', async () => {
      const other = await startReceiver((_request, response) => response.writeHead(204).end());
      answer = null;
      const eventId = await postEvent();
      await receiver.received(1);
      await change({ url: other.url });
      held.forEach((response) => response.writeHead(410).end());
      expect(await deliveryIn('retrying', eventId)).to.include({ statusCode: 410, attemptCount: 1 });
      await deliveryIn('delivered', await postEvent());
      expect(await webhook()).to.include({ status: 'active', url: other.url });
      expect(await disablings()).to.deep.equal([]);
    });
  });

  describe('a long time without success', () => {
    /** Posts events until the webhook is disabled, and returns that time. A failure repeats a check that a busy server ended. */
    const failUntilDisabled = () =>
      eventually('a webhook that is disabled', async () => {
        await postEvent();
        return (await webhook())['status'] === 'disabled' ? Date.now() : null;
      });

    it('disables the webhook as failing, and cancels its deliveries', async () => {
      const first = await postEvent();
      await failUntilDisabled();
      expect(await disabledWebhook()).to.include({ disabledReason: 'failing' });
      const delivery = await deliveryIn('canceled', first);
      expect(delivery['error']).to.deep.include({ code: 'webhook_disabled' });
    });
  });
});
