import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { eventually } from '../../../support/eventually.js';
import {
  connectionError,
  openSecuredClients,
  securedClientOf,
  type SecuredClients,
} from '../client/securedClients.js';

/** The broker closes a connection when its token expires. kafkajs authenticates it again 10 s before that. */
const tokenSeconds = 13;
const severalTokensMs = 2.5 * tokenSeconds * 1000;

describe('the Kafka client with secured brokers, for longer than a token is valid', () => {
  let clients: SecuredClients;
  before(async () => {
    clients = await openSecuredClients();
  });
  after(() => clients.close());

  it('does not connect if the certificate has an unknown authority or another name, and the error says why', async () => {
    const { KAFKA_SSL_CA_FILE: _, ...withoutAuthority } = clients.withPassword('plain', {
      KAFKA_SSL: 'true',
    });
    const [unknown, misnamed] = await Promise.all([
      connectionError(withoutAuthority),
      connectionError(clients.withCertificate({ KAFKA_SSL_SERVER_NAME: 'other.test' })),
    ]);
    expect(unknown).to.match(/self-signed certificate in certificate chain|unable to (verify|get)/);
    expect(misnamed).to.include("does not match certificate's altnames");
  });

  it('appends and reads every record on the same connections while several tokens expire', async () => {
    clients.endpoint.setLifetime(tokenSeconds);
    const client = await securedClientOf(clients.withToken());
    const topic = `t-${randomUUID()}`;
    const admin = client.admin();
    // Without retries, a failed request fails the test.
    const producer = client.producer({ retry: { retries: 0 } });
    const consumer = client.consumer({ groupId: topic });
    const read = new Set<string>();
    const lost: string[] = [];
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], timeout: 30_000 });
    await producer.connect();
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message }) => {
        read.add(String(message.value));
        return Promise.resolve();
      },
    });

    // A broker that has just started may answer the first member of its first group that it is not ready.
    await producer.send({ topic, messages: [{ value: 'first' }] });
    await eventually('the first record is read', () => (read.delete('first') ? true : null));
    consumer.on(consumer.events.CRASH, ({ payload }) => lost.push(String(payload.error)));
    consumer.on(consumer.events.REBALANCING, () => lost.push('the consumer joined its group again'));
    producer.on(producer.events.DISCONNECT, () => lost.push('the producer was disconnected'));
    const end = Date.now() + severalTokensMs;
    let sent = 0;
    await eventually(
      'the end of several tokens',
      async () => {
        const values = Array.from({ length: 20 }, (_, index) => String(sent + index));
        await Promise.all(values.map((value) => producer.send({ topic, messages: [{ value }] })));
        sent += values.length;
        return Date.now() > end ? true : null;
      },
      2 * severalTokensMs,
    );
    await eventually('all records are read', () => (read.size === sent ? true : null));
    expect(lost).to.deep.equal([]);
    expect(clients.endpoint.issued()).to.be.greaterThan(3);
    await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
  });
});
