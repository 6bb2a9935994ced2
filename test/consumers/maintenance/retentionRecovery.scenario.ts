import { expect } from 'chai';

import { retryGroup } from '../../../shared/log/topics/groups.js';
import { fullTopicName, tierTopics, type TopicName } from '../../../shared/log/topics/names.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

interface DeliveryAnswer {
  readonly status: string;
  readonly nextAttemptAt: string | null;
}

const waitMs = 30_000;

describe('retries that the log has deleted while no delivery process was running', () => {
  let service: TestService;
  let log: TestLog;
  let client: Client;
  let receiver: Receiver;
  let group: string;
  /** An event whose retry was deleted, and one whose retry was not, although others next to it were. */
  let lost: string;
  let kept: string;
  let scheduledAgain: number;

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '5s' });
    const { prefix } = service.config.topics;
    log = await openTestLog({ POSTRIDER_TOPIC_PREFIX: prefix });
    group = retryGroup(prefix).groupId;
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver((request, response) => {
      const isFirst = requestsOf(String(request.headers['webhook-id'])).length === 1;
      response.writeHead(isFirst ? 500 : 200).end();
    });
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    [lost, kept] = await eventsInTwoPartitions();
    await Promise.all([lost, kept].map((id) => deliveryWith(id, 'retrying')));
    await service.stopRole('delivery');
    await Promise.all(tierTopics.map((tier) => deleteAllOf(tier, partitionFor(lost))));
    await log.producer.append(plainRecord('deliveries.retry.12h', kept));
    await deleteAllOf('deliveries.retry.12h', partitionFor(kept));
    const scheduled = await scheduledIn(partitionFor(kept));
    await service.startRole('delivery');
    await Promise.all([lost, kept].map((id) => deliveryWith(id, 'delivered')));
    await whenAllIsDone();
    scheduledAgain = (await scheduledIn(partitionFor(kept))) - scheduled;
  });

  const partitionFor = (eventId: string) => partitionOf(eventId, service.config.topics.partitions);

  const post = async () => String((await client.post('/v1/events', { type: 'a.b', data: {} })).body['id']);

  const eventsInTwoPartitions = async (): Promise<[string, string]> => {
    const first = await post();
    for (;;) {
      const second = await post();
      if (partitionFor(second) !== partitionFor(first)) {
        return [first, second];
      }
    }
  };

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

  const endOffsetsOf = async (tier: TopicName) => {
    const found = await log.admin.fetchTopicOffsets(fullTopicName(service.config.topics.prefix, tier));
    return found.map(({ partition, high }) => ({ partition, offset: high }));
  };

  /** Deletes all records of one partition of a tier, as its retention would do later. */
  const deleteAllOf = async (tier: TopicName, number: number) => {
    const topic = fullTopicName(service.config.topics.prefix, tier);
    const ends = await endOffsetsOf(tier);
    const partitions = ends.filter(({ partition }) => partition === number);
    await log.admin.deleteTopicRecords({ topic, partitions });
  };

  /** Resolves when no retry record waits in the tiers. */
  const whenAllIsDone = () =>
    service.withStores(({ groups, offsets }) =>
      eventually(
        'all retry records to be done',
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

  /** The number of retry records that were ever appended to the tiers for the events of a partition. */
  const scheduledIn = async (number: number): Promise<number> => {
    const ends = (await Promise.all(tierTopics.map(endOffsetsOf))).flat();
    return ends.reduce((sum, { partition, offset }) => sum + (partition === number ? Number(offset) : 0), 0);
  };

  it('are attempted once each by the next process', () => {
    expect(requestsOf(lost)).to.have.lengthOf(2);
  });

  it('are attempted once if they were rescheduled but had not been deleted', () => {
    expect([requestsOf(kept).length, scheduledAgain > 0]).to.deep.equal([2, true]);
  });

  it('are rescheduled once, after which the next process finds no loss', async () => {
    const missing = await service.withStores(({ groups }) =>
      Promise.all(tierTopics.map(async (tier) => [...(await groups.deletedUnread(group, tier)).keys()])),
    );

    expect(missing.flat()).to.deep.equal([]);
  });
});
