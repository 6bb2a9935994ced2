import { expect } from 'chai';

import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startRoleProcess } from '../../support/roleProcess.js';
import { startService } from '../../support/service.js';

interface DeliveryAnswer {
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
}

/** Long enough for the role to be stopped before the retry is due. */
const former = '4s';
/** With its first delay the waiting retry would be an hour later. The former schedule has no second delay. */
const changed = '1h,1s';
const firstDelayMs = 3_600_000;
const secondDelayMs = 1000;

describe('a schedule that is changed while a retry waits', () => {
  const opened = createOpened();
  let client: Client;
  let receiver: Receiver;
  let scheduled: DeliveryAnswer;
  let scheduledAfterwards: DeliveryAnswer;
  let last: DeliveryAnswer;

  before(async () => {
    const service = await startService({ POSTRIDER_RETRY_SCHEDULE: former });
    opened.add('service', service.stop);
    client = createClient(service.address, (await service.createAccount()).liveKey);
    const isSeen = new AbortController();
    receiver = await startReceiver((_request, response) => {
      const fail = () => response.writeHead(500).end();
      if (receiver.requests.length < 3) {
        fail();
      } else {
        // The test reads the due time of the last attempt before that attempt ends.
        isSeen.signal.addEventListener('abort', fail);
      }
    });
    opened.add('receiver', receiver.close);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    const id = String((await client.post('/v1/events', { type: 'a.b', data: {} })).body['id']);
    scheduled = await deliveryWith(id, 1, 'retrying');
    await service.stopRole('delivery');
    const role = await startRoleProcess('delivery', {
      ...service.settings,
      POSTRIDER_RETRY_SCHEDULE: changed,
    });
    opened.add('role', role.kill);
    scheduledAfterwards = await deliveryWith(id, 2, 'retrying');
    await receiver.received(3, 30_000);
    isSeen.abort();
    last = await deliveryWith(id, 3, 'failed');
  });

  after(() => opened.releaseAll());

  const deliveryWith = (id: string, attempts: number, status: string): Promise<DeliveryAnswer> =>
    eventually(`${attempts} attempts`, async () => {
      const { deliveries } = (await client.get(`/v1/events/${id}`)).body;
      const [delivery] = deliveries as readonly DeliveryAnswer[];
      return delivery?.attemptCount === attempts && delivery.status === status ? delivery : null;
    });

  const receivedAt = (index: number) => receiver.requests[index]?.receivedAt ?? 0;

  it('does not change the due time of the retry', () => {
    // By the new schedule the retry would be an hour later, which is longer than this test.
    expect(receivedAt(1)).to.be.at.least(Date.parse(scheduled.nextAttemptAt ?? ''));
  });

  it('applies to the retry after the next attempt', () => {
    const delayMs = Date.parse(scheduledAfterwards.nextAttemptAt ?? '') - receivedAt(1);
    expect(delayMs).to.be.within(secondDelayMs, firstDelayMs / 2);
  });

  it('ends the cycle when the new schedule is exhausted', () => {
    expect([last.nextAttemptAt, receiver.requests.length]).to.deep.equal([null, 3]);
  });
});
