import process from 'node:process';

import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import { Binary, MongoClient, type AnyBulkWriteOperation } from 'mongodb';

import { loadConfig } from '../../shared/settings/config.js';
import { eventIndexes } from '../../shared/store/models/indexes.js';
import { answerRequests } from '../processes/answerRequests.js';
import { consume } from './consume.js';

interface ReadDocument {
  readonly _id: string;
}

const config = loadConfig(process.env);
/** The number of the run. Each run has its own group and its own collection. */
const [round = '1'] = process.argv.slice(2);
const name = `plainConsumer${round}`;
const { prefix } = config.topics;
const topics = { events: `${prefix}events`, deliveries: `${prefix}deliveries` };
const kafka = new Kafka({
  clientId: 'plain-consumer',
  brokers: config.kafka.brokers,
  logLevel: logLevel.ERROR,
});

/**
 * A process that reads the service's topics of events and deliveries once. It keeps a document for each event, with the fields and
 * indexes of the service's model. It has no positions, so a redelivered record would be applied twice. It answers any request with
 * the number of records and the time that it took, in milliseconds.
 */
answerRequests('', async () => {
  const client = await MongoClient.connect(config.mongodb.url);
  const documents = client.db().collection<ReadDocument>(name);
  const total = await recordsOf([topics.events, topics.deliveries]);
  const startedAt = performance.now();
  await documents.createIndexes(Object.values(eventIndexes));
  let read = 0;
  await new Promise<void>((resolve, reject) => {
    consume(
      kafka,
      { groupId: `${prefix}${name}`, topics: Object.values(topics) },
      async ({ batch: { topic, messages } }) => {
        const toWrite = topic === topics.events ? eventWrite : deliveryWrite;
        await documents.bulkWrite(messages.map(toWrite), { ordered: false });
        read += messages.length;
        if (read >= total) {
          resolve();
        }
      },
    ).catch(reject);
  });
  return { records: read, ms: performance.now() - startedAt };
});

async function recordsOf(names: readonly string[]): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)));
  await admin.disconnect();
  return offsets.flat().reduce((sum, { high }) => sum + Number(high), 0);
}

function eventWrite({ key, value, headers = {} }: KafkaMessage): AnyBulkWriteOperation<ReadDocument> {
  const event = {
    accountId: String(headers['ce_source']).slice('/accounts/'.length),
    mode: String(headers['ce_mode']),
    type: String(headers['ce_type']),
    created: new Date(String(headers['ce_time'])),
    data: new Binary(value ?? Buffer.alloc(0)),
  };
  return { updateOne: { filter: { _id: String(key) }, update: { $set: event }, upsert: true } };
}

function deliveryWrite({ key, value }: KafkaMessage): AnyBulkWriteOperation<ReadDocument> {
  const { webhookId, outcome, statusCode, error, attemptedAt, nextAttemptAt, number } = JSON.parse(
    String(value),
  ) as Record<string, unknown>;
  const status = outcome === 'succeeded' ? 'delivered' : 'failed';
  const delivery = { webhookId, status, statusCode, error, deliveredAt: attemptedAt, nextAttemptAt, number };
  return {
    updateOne: { filter: { _id: String(key) }, update: { $push: { deliveries: delivery } }, upsert: true },
  };
}
