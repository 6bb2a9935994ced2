import { randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { eventually } from '../../../support/eventually.js';
import { runProgram } from '../../../support/program.js';
import type { Settings } from '../../../support/settings.js';
import {
  connectionError,
  openSecuredClients,
  securedClientOf,
  type SecuredClients,
} from '../client/securedClients.js';

/** Appends a record to a new topic, and reads it. */
async function exchange(settings: Settings): Promise<string> {
  const client = await securedClientOf(settings);
  const topic = `t-${randomUUID()}`;
  const admin = client.admin();
  const producer = client.producer();
  const consumer = client.consumer({ groupId: topic, maxWaitTimeInMs: 100 });
  const read: string[] = [];
  try {
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], timeout: 30_000 });
    await producer.connect();
    await producer.send({ topic, messages: [{ value: 'a record' }] });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message }) => {
        read.push(String(message.value));
        return Promise.resolve();
      },
    });
    return await eventually('the record is read', () => read[0] ?? null);
  } finally {
    await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
  }
}

describe('the Kafka client with secured brokers', () => {
  let clients: SecuredClients;
  before(async () => {
    clients = await openSecuredClients();
  });
  after(() => clients.close());

  for (const mechanism of ['plain', 'scram-sha-256', 'SCRAM-SHA-512']) {
    it(`appends and reads records with ${mechanism} over TLS`, async () => {
      expect(await exchange(clients.withPassword(mechanism))).to.equal('a record');
    });
  }

  it('appends and reads records with a token of an OAuth 2.0 endpoint', async () => {
    expect(await exchange(clients.withToken())).to.equal('a record');
  });

  it('appends and reads records with a client certificate whose key is encrypted', async () => {
    expect(await exchange(clients.withCertificate())).to.equal('a record');
  });

  it('is rejected with a wrong password, and the error says so', async () => {
    const settings = clients.withPassword('scram-sha-256', { KAFKA_SASL_PASSWORD: 'wrong' });
    const error = await connectionError(settings);
    expect(error).to.include('SCRAM-SHA-256');
    expect(error).to.include('Authentication failed');
  });

  it('connects to brokers whose certificate has the name KAFKA_SSL_SERVER_NAME', async () => {
    const settings = clients.withCertificate({ KAFKA_SSL_SERVER_NAME: 'server.test' });
    expect(await connectionError(settings)).to.equal('none');
  });

  for (const [credentials, settingsOf] of [
    ['a password', () => clients.withPassword('Scram-Sha-256')],
    ['a token', () => clients.withToken()],
    ['a certificate', () => clients.withCertificate()],
  ] as const) {
    it(`runs the commands of the compiled program with ${credentials} and certificates in files`, async () => {
      const prefix = { POSTRIDER_TOPIC_PREFIX: `t-${randomUUID()}.` };
      const { code, stdout } = await runProgram({ ...settingsOf(), ...prefix }, 'migrate', '--json');
      expect(code).to.equal(0);
      expect(stdout).to.include(`${prefix.POSTRIDER_TOPIC_PREFIX}events`);
    });
  }
});
