import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import { messageOf, UnavailableError } from '../../core/errors.js';
import type { RawRecord } from '../encoding/record.js';
import { withLookupConsumer } from './lookupConsumer.js';

/** A record of a topic scan. A scanned record has no topic, because all records of a scan have one topic. */
export type ScannedRecord = Omit<RawRecord, 'topic'>;

/** The number of records that a topic scan has read, and the number that it will read. */
export interface ScanProgress {
  readonly read: number;
  readonly of: number;
}

/** Receives the records of a topic scan in order. The scan fetches the next records when the promise resolves. */
export type TakeRecords = (records: readonly ScannedRecord[], progress: ScanProgress) => Promise<void>;

/**
 * Reads all records of a topic with one partition, up to the end offset at the time of the call. The memory contains
 * one fetch at a time. `topic` is the full name of the topic.
 */
export type ScanTopic = (topic: string, take: TakeRecords) => Promise<void>;

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** The time without a record after which a topic scan fails, in milliseconds. */
const silenceLimitMs = 30_000;
const maximumBytes = 1024 * 1024;

/** @param prefix the prefix of the service's topics and groups */
export function createTopicScan(kafka: Kafka, prefix: string): ScanTopic {
  return async (topic, take) => {
    const bounds = await boundsOf(kafka, topic);
    if (bounds.low < bounds.high) {
      const settings = { maxBytesPerPartition: maximumBytes };
      const work = (consumer: Consumer) => scan(consumer, topic, { bounds, take });
      await withLookupConsumer(kafka, prefix, { settings, work });
    }
  };
}

async function boundsOf(kafka: Kafka, topic: string): Promise<Bounds> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const [offsets] = await admin.fetchTopicOffsets(topic);
    return { low: Number(offsets?.low ?? 0), high: Number(offsets?.high ?? 0) };
  } finally {
    await admin.disconnect();
  }
}

async function scan(
  consumer: Consumer,
  topic: string,
  { bounds, take }: { readonly bounds: Bounds; readonly take: TakeRecords },
): Promise<void> {
  const ending = createEnding();
  const silence = setTimeout(() => {
    ending.fail(new UnavailableError(`the brokers return no records of the topic ${topic}`));
  }, silenceLimitMs);
  consumer.on(consumer.events.CRASH, ({ payload: { error } }) => {
    ending.fail(error);
  });
  const eachBatch = async (payload: EachBatchPayload) => {
    silence.refresh();
    // An error of `take` must end the scan. kafkajs would retry the error or end the consumer.
    const isLast = ending.reached || (await takeBatch(payload, bounds, take).catch(ending.fail));
    if (isLast === true) {
      ending.succeed();
    }
  };
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch });
    await ending.promise;
  } finally {
    clearTimeout(silence);
  }
}

/** A promise that the scan settles once, with success or an error. */
function createEnding() {
  let settle: (error: unknown) => void = () => undefined;
  const settled = new Promise<unknown>((resolve) => {
    settle = resolve;
  });
  let reached = false;
  const end = (error: unknown) => {
    reached = true;
    settle(error);
  };
  return {
    get reached() {
      return reached;
    },
    succeed: () => {
      end(null);
    },
    fail: (error: unknown) => {
      end(error);
    },
    promise: settled.then((error) => {
      if (error !== null) {
        throw error instanceof Error ? error : new Error(messageOf(error));
      }
    }),
  };
}

/**
 * Passes a fetched batch to `take`.
 * @returns whether the batch contained the last record of the scan
 */
async function takeBatch(
  payload: EachBatchPayload,
  { low, high }: Bounds,
  take: TakeRecords,
): Promise<boolean> {
  const { batch } = payload;
  const records = batch.messages
    .map(({ key, value, headers, offset, timestamp }) => ({
      partition: batch.partition,
      offset: Number(offset),
      timestamp: Number(timestamp),
      key,
      value,
      headers: headers ?? {},
    }))
    .filter(({ offset }) => offset < high);
  const last = Number(batch.lastOffset());
  await take(records, { read: Math.min(last + 1, high) - low, of: high - low });
  payload.resolveOffset(batch.lastOffset());
  await payload.heartbeat();
  return last + 1 >= high;
}
