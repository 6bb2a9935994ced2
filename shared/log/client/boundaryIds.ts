import { setTimeout as pause } from 'node:timers/promises';

import kafkajs, { type Broker, type Cluster, type Consumer, type Kafka } from 'kafkajs';

import type { FairSemaphore } from '../../concurrency/fairSemaphore.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import { UnavailableError } from '../../core/errors.js';
import { fetchRecords, type FetchedRecord } from '../kafkajs-internals/fetchRecords.js';
import { fullTopicName, type TopicName } from '../topics/names.js';
import type { TopicBounds } from './topicOffsets.js';

/**
 * The `ce_id` of the last record below an offset of each partition; null if there is no such record. Offsets belong to
 * one cluster. The id finds the same place in a copy of the topic.
 */
export type RecordIds = readonly (string | null)[];

/**
 * Reads the boundary ids of offsets.
 * @param owner the account that the offsets are read for
 * @param below an offset of each partition of the topic
 * @throws UnavailableError if the brokers do not answer within 5 s
 */
export type BoundaryIds = (owner: string, topic: TopicName, below: readonly number[]) => Promise<RecordIds>;

export interface BoundaryIdsDependencies {
  readonly kafka: Kafka;
  readonly prefix: string;
  readonly offsets: Pick<TopicBounds, 'beginnings'>;
  /** Bounds the connections of simultaneous reads. */
  readonly semaphore: FairSemaphore;
}

interface Boundary {
  readonly partition: number;
  /** The log start offset of the partition. */
  readonly from: number;
  /** The offset of the boundary, which is above `from`. */
  readonly below: number;
}

const limitMs = 5000;
const retryPauseMs = 200;
const late = 'Kafka does not return the records before the end offsets';

export function createBoundaryIds({
  kafka,
  prefix,
  offsets,
  semaphore,
}: BoundaryIdsDependencies): BoundaryIds {
  const read = async (topic: TopicName, below: readonly number[]): Promise<RecordIds> => {
    const beginnings = await offsets.beginnings(topic);
    const boundaries = below.map((offset, partition) => ({
      partition,
      from: beginnings[partition] ?? 0,
      below: offset,
    }));
    const found = await readIds(
      kafka,
      fullTopicName(prefix, topic),
      boundaries.filter((boundary) => boundary.from < boundary.below),
    );
    return boundaries.map(({ partition }) => found.get(partition) ?? null);
  };

  /** Repeats a failed read, because the leader of a partition may move between two requests. */
  const readInTime = async (topic: TopicName, below: readonly number[]): Promise<RecordIds> => {
    const deadline = performance.now() + limitMs;
    for (;;) {
      try {
        return await withTimeout(read(topic, below), deadline - performance.now(), late);
      } catch (error) {
        if (performance.now() + retryPauseMs >= deadline) {
          throw new UnavailableError(late, { cause: error });
        }
        await pause(retryPauseMs);
      }
    }
  };

  return (owner, topic, below) => semaphore.run(owner, () => readInTime(topic, below));
}

/** Reads the ids by partition with a consumer that joins no group. */
async function readIds(
  kafka: Kafka,
  topic: string,
  boundaries: readonly Boundary[],
): Promise<ReadonlyMap<number, string | null>> {
  if (boundaries.length === 0) {
    return new Map();
  }
  const { consumer, cluster } = createLookupConsumer(kafka);
  try {
    await consumer.connect();
    await cluster.addTargetTopic(topic);
    const leaders = cluster.findLeaderForPartitions(
      topic,
      boundaries.map(({ partition }) => partition),
    );
    const ids = await Promise.all(
      Object.entries(leaders).map(async ([nodeId, partitions]) => {
        const own = boundaries.filter(({ partition }) => partitions.includes(partition));
        return readFromBroker(await cluster.findBroker({ nodeId }), topic, own);
      }),
    );
    return new Map(ids.flat());
  } finally {
    await consumer.disconnect();
  }
}

/** A consumer of kafkajs and its cluster object, which only the assigner of a consumer gets. */
function createLookupConsumer(kafka: Kafka): { readonly consumer: Consumer; readonly cluster: Cluster } {
  const clusters: Cluster[] = [];
  const consumer = kafka.consumer({
    groupId: 'lookup',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (context) => {
        clusters.push(context.cluster);
        return kafkajs.PartitionAssigners.roundRobin(context);
      },
    ],
  });
  const [cluster] = clusters;
  if (cluster === undefined) {
    throw new Error('kafkajs has not passed the cluster to the assigner');
  }
  return { consumer, cluster };
}

type IdOfPartition = readonly [partition: number, id: string | null];

/**
 * Reads the ids of the partitions of one broker in parallel. The first read opens the connection, so the others wait for
 * its end.
 */
async function readFromBroker(
  broker: Broker,
  topic: string,
  [first, ...others]: readonly Boundary[],
): Promise<readonly IdOfPartition[]> {
  const read = async (boundary: Boundary): Promise<IdOfPartition> => [
    boundary.partition,
    await lastIdBelow(broker, topic, boundary),
  ];
  return first === undefined ? [] : [await read(first), ...(await Promise.all(others.map(read)))];
}

/**
 * The id of the last record below a boundary. The offset before the boundary may belong to a transaction marker, to an
 * aborted transaction or to a record without an id. The search then continues in a larger range before it.
 */
async function lastIdBelow(broker: Broker, topic: string, { partition, from, below }: Boundary) {
  let end = below;
  for (let length = 1; end > from; length *= 2) {
    const begin = Math.max(from, end - length);
    const id = await lastIdIn(broker, { topic, partition }, { begin, end });
    if (id !== null) {
      return id;
    }
    end = begin;
  }
  return null;
}

async function lastIdIn(
  broker: Broker,
  place: { readonly topic: string; readonly partition: number },
  { begin, end }: { readonly begin: number; readonly end: number },
): Promise<string | null> {
  let last: string | null = null;
  for (let offset: number | null = begin; offset !== null && offset < end;) {
    const fetched = await fetchRecords(broker, { ...place, offset });
    const ids = fetched.records.filter((record) => record.offset < end).flatMap(idOf);
    last = ids.at(-1) ?? last;
    offset = fetched.next;
  }
  return last;
}

function idOf({ headers }: FetchedRecord): readonly string[] {
  const id = headers['ce_id'];
  return id === undefined || Array.isArray(id) ? [] : [String(id)];
}
