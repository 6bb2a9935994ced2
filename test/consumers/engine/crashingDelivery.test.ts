import { expect } from 'chai';

import { partitionOf } from '../../../shared/log/topics/partition.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import { startCrashingDelivery, type Crash } from '../crashingDelivery.js';

/** The appends of an event whose delivery fails three times. */
const appends = ['outcome', 'webhooks', 'retry', 'outcome', 'retry', 'outcome'];
const crashes: readonly Crash[] = [...appends.keys()]
  .map((index) => index + 1)
  .flatMap((append) => [
    { append, side: 'before' },
    { append, side: 'after' },
  ]);
const attempts = 3;

interface DeliveryAnswer {
  readonly status: string;
  readonly attemptCount: number;
}

interface End {
  readonly delivery: DeliveryAnswer | undefined;
  readonly requests: number;
  /** Only an attempt whose outcome is not in the log is repeated, because no process can know of it. */
  readonly expected: number;
}

describe('a delivery whose process crashes', () => {
  let service: TestService;
  let receiver: Receiver;
  let client: Client;
  let ends: readonly End[];

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s,1s', POSTRIDER_PARTITIONS: '12' }, [
      'projections',
      'api',
    ]);
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver((_request, response) => {
      response.writeHead(500).end();
    });
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    const ids = await postToPartitions(crashes.length);
    const crashOf = ids.flatMap((id, index) => {
      const crash = crashes[index];
      return crash === undefined ? [] : [[id, crash] as const];
    });
    const crashing = await startCrashingDelivery(service.config, new Map(crashOf));
    await eventually('all crashes', () => (crashing.crashed() === crashes.length ? true : null));
    await crashing.stop();
    await service.startRole('delivery');
    const expected = (id: string) => (crashing.hasLostOutcome(id) ? attempts + 1 : attempts);
    ends = await Promise.all(ids.map(async (id) => ({ ...(await endOf(id)), expected: expected(id) })));
  });

  /** Each event has its own partition, because a partition whose appends hang starts no other attempt. */
  const postToPartitions = async (count: number): Promise<readonly string[]> => {
    const { partitions } = service.config.topics;
    const byPartition = new Map<number, string>();
    while (byPartition.size < count) {
      const { body } = await client.post('/v1/events', { type: 'a.b', data: {} });
      const id = String(body['id']);
      byPartition.set(partitionOf(id, partitions), id);
    }
    return [...byPartition.values()];
  };

  const endOf = async (id: string): Promise<Omit<End, 'expected'>> => {
    const delivery = await eventually(`the end of ${id}`, async () => {
      const { body } = await client.get(`/v1/events/${id}`);
      const [found] = (body['deliveries'] ?? []) as readonly DeliveryAnswer[];
      return found?.status === 'failed' ? found : null;
    });
    const requests = receiver.requests.filter(({ headers }) => headers['webhook-id'] === id).length;
    return { delivery, requests };
  };

  it('is attempted as often as the schedule requires, wherever the crash is', () => {
    for (const [index, { side, append }] of crashes.entries()) {
      expect(ends[index], `${side} append ${append}`).to.deep.nested.include({
        requests: ends[index]?.expected,
        'delivery.attemptCount': attempts,
      });
    }
  });
});
