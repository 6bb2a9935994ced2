import { expect } from 'chai';

import { retryGroup } from '../../../shared/topics/groups.js';
import { fullTopicName, tierTopics, type TopicName } from '../../../shared/topics/names.js';
import { partitionOf } from '../../../shared/topics/partition.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';
import { createOpened } from '../../support/opened.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

interface DeliveryAnswer {
  readonly status: string;
  readonly nextAttemptAt: string | null;
}

const waitMs = 30_000;

describe('planned attempts that the log has deleted while no delivery process ran', function () {
  this.timeout(120_000);

  const opened = createOpened();
  let service: TestService;
  let log: TestLog;
  let client: Client;
  let receiver: Receiver;
  let group: string;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '5s' });
    opened.add('service', service.stop);
    const { prefix } = service.config.topics;
    log = await openTestLog({ POSTRIDER_TOPIC_PREFIX: prefix });
    opened.add('log', log.close);
    group = retryGroup(prefix).groupId;
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver((request, response) => {
      const isFirst = requestsOf(String(request.headers['webhook-id'])).length === 1;
      response.writeHead(isFirst ? 500 : 200).end();
    });
    opened.add('receiver', receiver.close);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
  });

  after(() => opened.releaseAll());

  const requestsOf = (eventId: string) =>
    receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId);

  const deliveryOf = async (eventId: string): Promise<DeliveryAnswer | undefined> => {
    const { deliveries } = (await client.get(`/v1/events/${eventId}`)).body;
    return (deliveries as readonly DeliveryAnswer[])[0];
  };

  const deliveryWith = (eventId: string, status: string) =>
    eventually(
      `a delivery that is ${status}`,
      async () => ((await deliveryOf(eventId))?.status === status ? true : null),
      waitMs,
    );

  /** An event whose retry waits, with nobody there who would make it. */
  const waitingEvent = async (): Promise<string> => {
    const id = String((await client.post('/v1/events', { type: 'a.b', data: {} })).body['id']);
    await deliveryWith(id, 'retrying');
    await service.stopRole('delivery');
    return id;
  };

  const endsOf = async (tier: TopicName) => {
    const found = await log.admin.fetchTopicOffsets(fullTopicName(service.config.topics.prefix, tier));
    return found.map(({ partition, high }) => ({ partition, offset: high }));
  };

  /** What the retention of a tier does, at once. */
  const deleteAllOf = async (tier: TopicName) => {
    const topic = fullTopicName(service.config.topics.prefix, tier);
    await log.admin.deleteTopicRecords({ topic, partitions: await endsOf(tier) });
  };

  /** That nothing waits in the tiers any more. */
  const whenAllIsDone = () =>
    service.withStores(({ groups, offsets }) =>
      eventually(
        'all work to be done',
        async () => {
          const tierIsDone = tierTopics.map(async (tier) => {
            const committed = await groups.committed(group, tier);
            return (await offsets.ends(tier)).every((end, partition) => (committed[partition] ?? 0) === end);
          });
          return (await Promise.all(tierIsDone)).every(Boolean) ? true : null;
        },
        waitMs,
      ),
    );

  /** How much was ever planned in the tiers for the events of an event's partition. */
  const plannedBeside = async (eventId: string): Promise<number> => {
    const number = partitionOf(eventId, service.config.topics.partitions);
    const ends = (await Promise.all(tierTopics.map(endsOf))).flat();
    return ends.reduce((sum, { partition, offset }) => sum + (partition === number ? Number(offset) : 0), 0);
  };

  describe('all of them', () => {
    let id: string;

    before(async () => {
      id = await waitingEvent();
      await Promise.all(tierTopics.map(deleteAllOf));
      await service.startRole('delivery');
      await deliveryWith(id, 'delivered');
      await whenAllIsDone();
    });

    it('are made, each once, by whoever comes next', () => {
      expect(requestsOf(id)).to.have.lengthOf(2);
    });

    it('are planned anew once: whoever comes then misses nothing', async () => {
      const missing = await service.withStores(({ groups }) =>
        Promise.all(tierTopics.map(async (tier) => [...(await groups.deletedUnread(group, tier)).keys()])),
      );

      expect(missing.flat()).to.deep.equal([]);
    });
  });

  it('are made once where others were deleted, and these were not', async () => {
    const id = await waitingEvent();
    // Of the same partition, so that whoever misses it plans this one a second time.
    await log.producer.append(plainRecord('deliveries.retry.12h', id));
    await deleteAllOf('deliveries.retry.12h');
    const before = await plannedBeside(id);
    await service.startRole('delivery');
    await deliveryWith(id, 'delivered');
    await whenAllIsDone();

    expect([requestsOf(id).length, (await plannedBeside(id)) > before]).to.deep.equal([2, true]);
  });
});
