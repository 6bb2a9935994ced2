import { MongoClient, type AnyBulkWriteOperation } from 'mongodb';

import { consume } from './consume.js';
import type { StartBareRole } from './role.js';

interface EventDocument {
  readonly _id: string;
  readonly event?: unknown;
  readonly outcomes?: readonly unknown[];
}

/** Keeps a document for each event, with its outcomes. */
export const startProjections: StartBareRole = async ({ config, kafka, topics }) => {
  const client = await MongoClient.connect(config.mongodb.url);
  const documents = client.db().collection<EventDocument>('events');

  const writeOf = (topic: string, id: string, content: unknown): AnyBulkWriteOperation<EventDocument> => ({
    updateOne: {
      filter: { _id: id },
      update: topic === topics.events ? { $set: { event: content } } : { $push: { outcomes: content } },
      upsert: true,
    },
  });

  const subscription = { groupId: `${topics.events}.projections`, topics: [topics.events, topics.outcomes] };
  await consume(kafka, subscription, async ({ batch: { topic, messages } }) => {
    const writes = messages.map(({ key, value }) =>
      writeOf(topic, key?.toString() ?? '', JSON.parse(value?.toString() ?? 'null')),
    );
    await documents.bulkWrite(writes, { ordered: false });
  });
  return '';
};
