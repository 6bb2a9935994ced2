import { connect } from 'node:net';

import { Kafka, logLevel } from 'kafkajs';
import { type Collection, MongoClient, WriteConcern } from 'mongodb';

import type { StackAddresses } from '../../stack/stack.js';

interface Named {
  readonly _id: string;
}

/** Creates a topic with one partition and appends one record. */
export async function appendRecord({ kafka }: StackAddresses, topic: string, value: string): Promise<void> {
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const admin = client.admin();
  const producer = client.producer();
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
    await producer.send({ topic, acks: -1, messages: [{ value }] });
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

/** The value of a topic's first record. */
export async function readStackRecord({ kafka }: StackAddresses, topic: string): Promise<string | undefined> {
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const consumer = client.consumer({ groupId: 'reader' });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    return await new Promise((resolve, reject) => {
      consumer
        .run({
          autoCommit: false,
          eachMessage: ({ message }) => {
            resolve(message.value?.toString());
            return Promise.resolve();
          },
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

/** Inserts a document in a transaction that waits for a majority. */
export async function insertDocument(addresses: StackAddresses, id: string): Promise<void> {
  await withClient(addresses, (client) =>
    client.withSession((session) =>
      session.withTransaction(() => letters(client).insertOne({ _id: id }, { session }), {
        writeConcern: new WriteConcern('majority'),
      }),
    ),
  );
}

export function readDocument(addresses: StackAddresses, id: string): Promise<Named | null> {
  return withClient(addresses, (client) => letters(client).findOne({ _id: id }));
}

function letters(client: MongoClient): Collection<Named> {
  return client.db('letters').collection<Named>('letters');
}

async function withClient<Result>(
  { mongodb }: StackAddresses,
  work: (client: MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(mongodb.url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The first line of the response to a command. */
export function sendRedis({ redis }: StackAddresses, command: string): Promise<string> {
  const { hostname, port } = new URL(redis.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`${command}\r\n`);
    });
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString().split('\r\n')[0] ?? '');
    });
  });
}
