import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';

import Router from '@koa/router';
import type { Kafka } from 'kafkajs';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { MongoClient, type AnyBulkWriteOperation } from 'mongodb';
import fetch from 'node-fetch';

import type { Config } from '../../shared/settings/config.js';
import { consume } from './consume.js';
import { createPartitionBatcher } from './partitionBatcher.js';

/** What a process of the bare pipeline works with. */
export interface BareContext {
  readonly config: Config;
  readonly kafka: Kafka;
  /** The names of the topics in this run. */
  readonly topics: { readonly events: string; readonly outcomes: string };
  /** Every event goes to each of them. */
  readonly webhookUrls: readonly string[];
}

/** Starts one role. Resolves with its address, which is empty if it serves nothing. */
export type StartBareRole = (context: BareContext) => Promise<string>;

/** Appends posted events and answers with their ids. */
export const startApi: StartBareRole = async ({ config, kafka, topics }) => {
  const append = await createPartitionBatcher(kafka, topics.events);
  const router = new Router();
  router.post('/v1/events', bodyParser({ enableTypes: ['json'] }), async (context) => {
    const id = randomUUID();
    const partition = Number.parseInt(id.slice(0, 8), 16) % config.topics.partitions;
    await append(partition, id, JSON.stringify({ id, body: context.request.body }));
    context.status = 201;
    context.body = { id };
  });
  const server = new Koa().use(router.routes()).listen(config.http.port, config.http.host);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://${config.http.host}:${port}`;
};

const noBytes = Buffer.alloc(0);

/** Posts each event to every webhook and appends the outcome, with the same concurrency as the service. */
export const startDelivery: StartBareRole = async ({ config, kafka, topics, webhookUrls }) => {
  const append = await createPartitionBatcher(kafka, topics.outcomes);
  const agent = new Agent({ keepAlive: true });
  const startWhenFree = createSemaphore(config.delivery.webhookConcurrency * webhookUrls.length);

  const post = async (url: string, body: Buffer): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, agent });
    await response.arrayBuffer();
    return response.status;
  };

  await consume(kafka, { groupId: `${topics.events}.delivery`, topics: [topics.events] }, async (payload) => {
    for (const { key, value } of payload.batch.messages) {
      for (const url of webhookUrls) {
        await startWhenFree(async () => {
          const statusCode = await post(url, value ?? noBytes);
          const outcome = JSON.stringify({ url, statusCode, at: new Date() });
          // The semaphore bounds the exchanges alone.
          void append(payload.batch.partition, key?.toString() ?? '', outcome);
        });
        await payload.heartbeat();
      }
    }
  });
  return '';
};

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

/** A semaphore. Its function resolves as soon as the work has started, not when it ends. */
function createSemaphore(count: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) {
      free += 1;
    } else {
      next();
    }
  };
  return async (work) => {
    if (free > 0) {
      free -= 1;
    } else {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    void work().finally(release);
  };
}
