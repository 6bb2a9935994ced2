import { expect } from 'chai';

import { createClient, type Client } from '../support/client.js';
import { startConnectProxy, type ConnectProxy } from '../support/connectProxy.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

const events = 20;
const hanging = 30;
const settings = {
  POSTRIDER_PARTITIONS: '3',
  POSTRIDER_ATTEMPT_TIMEOUT: '5s',
  // With this schedule, a failure that counted against the webhook would show at the end of the test.
  POSTRIDER_RETRY_SCHEDULE: '1h',
};

describe('a service behind an egress proxy', () => {
  let proxy: ConnectProxy;
  let service: TestService;
  let receiver: Receiver;
  let client: Client;

  before(async () => {
    proxy = await startConnectProxy();
    const address = proxy.url.replace('http://', 'http://ada:secret@');
    service = await startService({ ...settings, POSTRIDER_EGRESS_PROXY: address });
    receiver = await startReceiver();
    client = createClient(service.address, (await service.createAccount()).liveKey);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
  });

  const post = async (count: number, type = 'order.completed') => {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const { body } = await client.post('/v1/events', { type, data: {} });
      ids.push(String(body['id']));
    }
    return ids;
  };

  const expectDeliveredAtOnce = async (ids: readonly string[]) => {
    for (const id of ids) {
      const event = await eventually('the delivery', async () => {
        const { body, text } = await client.get(`/v1/events/${id}`);
        return text.includes('"status":"delivered"') ? body : null;
      });
      expect(event['deliveries']).to.have.nested.property('[0].attemptCount', 1);
    }
  };

  const isReady = async () => (await fetch(`${service.addressOf('delivery')}/readyz`)).status === 200;

  it('delivers each event through the proxy', async () => {
    await expectDeliveredAtOnce(await post(events));
    expect(proxy.requests.length).to.be.greaterThan(0);
    expect(new Set(proxy.requests.map(({ target }) => target))).to.deep.equal(
      new Set([new URL(receiver.url).host]),
    );
  });

  for (const [fault, begin, end] of [
    ['accepts no connections', () => proxy.stop(), () => proxy.start()],
    ['demands other credentials', () => proxy.answer(407), () => proxy.answer('open')],
    ['does not answer', () => proxy.answer('hang'), () => proxy.answer('open')],
  ] as const) {
    it(`accepts events while the proxy ${fault}, is not ready, and delivers them with the first attempt afterwards`, async () => {
      // The next request needs a new tunnel.
      await proxy.stop();
      await proxy.start();
      await begin();
      const ids = await post(events);
      await eventually('the end of readiness', async () => ((await isReady()) ? null : true));
      const health = await eventually('known counts', async () => {
        const { status, body } = await client.get('/v1/delivery-health');
        return status === 200 ? body : null;
      });
      expect(health).to.include({ retrying: 0, failed: 0 });
      await end();
      await expectDeliveredAtOnce(ids);
      await eventually('readiness', async () => ((await isReady()) ? true : null));
    });
  }

  it('repeats requests that the proxy has cut off, and counts no failure against their webhook', async () => {
    let isHanging = true;
    const slow = await startReceiver((_request, response) => {
      if (!isHanging) {
        response.end();
      }
    });
    const { body: webhook } = await client.post('/v1/webhooks', { url: slow.url, events: ['order.slow'] });
    const ids = await post(hanging, 'order.slow');
    await slow.received(20);
    isHanging = false;
    await proxy.stop();
    await proxy.start();
    await eventually('all deliveries', async () => {
      const { body } = await client.get(`/v1/webhooks/${String(webhook['id'])}/attempts?limit=100`);
      const attempts = body['data'];
      return Array.isArray(attempts) && attempts.length >= ids.length ? true : null;
    });
    const { text } = await client.get(`/v1/webhooks/${String(webhook['id'])}/attempts?limit=100`);
    expect(text).not.to.include('"outcome":"failed"');
    await slow.close();
  });
});
