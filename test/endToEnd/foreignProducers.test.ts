import { expect } from 'chai';
import { ulid } from 'ulid';

import { partitionOf } from '../../shared/log/topics/partition.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import {
  newEventId as newId,
  startForeignProducer,
  type Changed,
  type ForeignProducer,
} from '../support/foreignProducer.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

/**
 * The brokers accept 1,048,588 bytes, of which 310 bytes here are not the value. The remaining bytes are fewer than the headers of a dead
 * letter.
 */
const largestRecordBytes = 1_048_200;
const other = () => `acct_${ulid()}`;

/** Another producer is a plain Kafka client that writes headers like any CloudEvents SDK. */
describe('an event of another producer', () => {
  let service: TestService;
  let client: Client;
  let receiver: Receiver;
  let partitions: number;
  let producer: ForeignProducer;
  let messageOf: ForeignProducer['messageOf'];
  let append: ForeignProducer['append'];

  before(async () => {
    // A separate service: its records would stop readers of other tests, which expect complete events.
    service = await startService();
    partitions = service.config.topics.partitions;
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    receiver = await startReceiver();
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    producer = await startForeignProducer(service, account.id);
    ({ messageOf, append } = producer);
  });

  const arrivals = (id: string) => receiver.requests.filter(({ headers }) => headers['webhook-id'] === id);

  const arrived = (id: string) => eventually(`the arrival of ${id}`, () => arrivals(id)[0] ?? null);

  const outcomesOf = (id: string) =>
    eventually(`an outcome of ${id}`, () => {
      const outcomes = producer.recordsOf('deliveries', id);
      return outcomes.length > 0 ? outcomes : null;
    });

  const storedEvent = (id: string) =>
    eventually(`the event ${id}`, async () => {
      const { status, body } = await client.get(`/v1/events/${id}`);
      return status === 200 ? body : null;
    });

  const otherPartition = (id: string) => (partitionOf(id, partitions) + 1) % partitions;

  it('is delivered like any other', async () => {
    const id = newId();
    await append(messageOf(id, { value: '{ "amount": 1.10 }' }));
    const { body } = await arrived(id);

    expect(body.toString()).to.match(
      new RegExp(`^{"id":"${id}","type":"order.completed","timestamp":"[^"]+","data":{ "amount": 1.10 }}$`),
    );
  });

  it('is stored like any other', async () => {
    const id = newId();
    const time = new Date(Date.now() - 1000).toISOString();
    await append(messageOf(id, { headers: { ce_time: time, ce_type: 'user.signup' } }));
    const event = await storedEvent(id);

    expect([event['type'], event['created'], event['data'], event['mode']]).to.deep.equal([
      'user.signup',
      time,
      { n: 1 },
      'live',
    ]);
  });

  describe('in another partition than that of its id', () => {
    let id: string;

    before(async () => {
      id = newId();
      await append(messageOf(id), { partition: otherPartition(id) });
      await arrived(id);
    });

    it('is delivered once', () => {
      expect(arrivals(id)).to.have.length(1);
    });

    it('is stored', async () => {
      expect((await storedEvent(id))['id']).to.equal(id);
    });

    it('has its outcomes in its partition', async () => {
      const [outcome] = await outcomesOf(id);
      expect(outcome?.partition).to.equal(otherPartition(id));
    });

    it('shows its delivery', async () => {
      const delivered = await eventually('the delivery', async () => {
        const { body } = await client.get(`/v1/events/${id}`);
        return JSON.stringify(body['deliveries']).includes('"delivered"') ? true : null;
      });
      expect(delivered).to.equal(true);
    });

    it('is delivered again by a resend', async () => {
      await outcomesOf(id);
      await eventually('a resend that is taken', async () =>
        (await client.post(`/v1/events/${id}/resend`, {})).status === 202 ? true : null,
      );
      await eventually('the second arrival', () => (arrivals(id).length === 2 ? true : null));
    });
  });

  describe('that is repeated with other content', () => {
    for (const [where, partition] of Object.entries({
      'in its partition': (id: string) => partitionOf(id, partitions),
      'in the partition before all others': () => 0,
      'in the partition behind all others': () => partitions - 1,
    })) {
      it(`has no effect and is not delivered, ${where}`, async () => {
        const { body } = await client.post('/v1/events', { type: 'order.completed', data: { n: 1 } });
        const id = String(body['id']);
        await outcomesOf(id);
        await append(messageOf(id, { value: '{"n":2}', headers: { ce_type: 'order.changed' } }), {
          partition: partition(id),
        });
        // The next record of the partition was handled after the repeated one.
        const behind = newId();
        await append(messageOf(behind), { partition: partition(id) });
        await arrived(behind);
        await storedEvent(behind);

        expect([arrivals(id).length, (await storedEvent(id))['data']]).to.deep.equal([1, { n: 1 }]);
      });
    }
  });

  it('in test mode is stored for test keys and sent to no webhook', async () => {
    const account = await service.createAccount();
    const id = newId();
    await append(messageOf(id, { headers: { ce_source: `/accounts/${account.id}`, ce_mode: 'test' } }));
    const testClient = createClient(service.address, account.testKey);
    const event = await eventually('the test event', async () => {
      const { status, body } = await testClient.get(`/v1/events/${id}`);
      return status === 200 ? body : null;
    });

    expect([event['mode'], event['deliveries']]).to.deep.equal(['test', []]);
  });

  it('is delivered with the header names and media types of other SDKs', async () => {
    const id = newId();
    await append(
      messageOf(id, {
        headers: {
          ce_time: new Date().toISOString().replace('Z', '000+00:00'),
          'content-type': 'application/json; charset=UTF-8',
          ce_partitionkey: id,
          ce_subject: 'order 17',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
      }),
    );
    expect((await arrived(id)).headers['webhook-id']).to.equal(id);
  });

  it('becomes a dead letter if its account does not exist, or if it is no event', async () => {
    const unknown = { headers: { ce_source: `/accounts/${other()}` } };
    const changes: readonly (readonly [Changed, RegExp])[] = [
      [unknown, /^the account acct_\w{26} in ce_source does not exist$/],
      [
        { headers: { ...unknown.headers, ce_mode: 'test' } },
        /^the account acct_\w{26} in ce_source does not exist$/,
      ],
      [{ headers: { 'content-type': 'text/plain' } }, /^the header content-type is not application\/json$/],
      [{ value: '[1]' }, /^the value: it is not a JSON object$/],
    ];
    for (const [changed, reason] of changes) {
      const id = newId();
      await append(messageOf(id, changed));
      expect(await producer.refusalOf(id)).to.match(reason);
    }
  });

  it('becomes a dead letter byte for byte, with its own headers and headers with the reason', async () => {
    const id = newId();
    await append(messageOf(id, { value: '[ 1.10 ]', headers: { traceparent: 'kept' } }));
    await producer.refusalOf(id);
    const [letter] = producer.recordsOf('events.dlq', id);

    expect([letter?.value, letter?.headers['traceparent'], letter?.headers['ce_id']]).to.deep.equal([
      '[ 1.10 ]',
      'kept',
      id,
    ]);
  });

  it('becomes a dead letter, and does not stop its consumers, if it has the maximum size of the brokers', async () => {
    const id = newId();
    await append(messageOf(id, { value: 'x'.repeat(largestRecordBytes) }));

    expect(await producer.refusalOf(id)).to.equal('the value is missing or larger than 262144 bytes');
  });

  it('is delivered even if its producer uses a compression that not every client supports', async () => {
    const id = newId();
    await append(messageOf(id), { isCompressed: true });

    expect((await arrived(id)).headers['webhook-id']).to.equal(id);
  });

  it('does not block the events behind it if it becomes a dead letter', async () => {
    const [bad, good] = [newId(), newId()];
    const partition = partitionOf(good, partitions);
    await append(messageOf(bad, { headers: { ce_source: `/accounts/${other()}` } }), { partition });
    await append(messageOf(good), { partition });

    expect((await arrived(good)).headers['webhook-id']).to.equal(good);
  });
});
