import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Message, Producer, TopicMessages } from 'kafkajs';

import type { Bundle, RequestBundle } from './partitionBatcher.js';
import type { PartitionLeaders } from './partitionLeaders.js';

/** The messages for one partition. `topic` is the full name of the topic. */
export interface PartitionBundle extends Bundle<Message> {
  readonly topic: string;
  readonly partition: number;
}

/** A bundle that waits for its request. */
type WaitingBundle = PartitionBundle & Pick<RequestBundle<Message>, 'isAwaited'>;

/**
 * Sends one request, with at most one bundle for each partition.
 * @returns the offset of each bundle's first message, or null for a bundle that the answer does not acknowledge
 * @throws if the broker does not answer; all or some of the messages may be written nevertheless
 */
export type SendRequest = (bundles: readonly PartitionBundle[]) => Promise<readonly (number | null)[]>;

/**
 * Appends a bundle, in one request with concurrent appends.
 * @returns the offset of the bundle's first message, when all in-sync replicas have the bundle
 * @throws if the broker does not acknowledge the messages; they may be written nevertheless
 */
export type AppendBundle = (bundle: WaitingBundle) => Promise<number>;

interface Waiting {
  readonly bundle: WaitingBundle;
  readonly resolve: (baseOffset: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The maximum size of a shared request, in bytes. The maximum size of a shared request is below the broker's
 * `socket.request.max.bytes`, and small enough for one write.
 */
const maximumRequestBytes = 8 * 1024 * 1024;

/**
 * Sends bundles with one request in flight for each broker. A request contains the waiting bundles of all partitions
 * that the broker leads. A broker processes the requests of a connection one by one. The broker starts a request when
 * all in-sync replicas have the records of the previous request. Separate requests for each partition would wait for
 * each other. Each separate request would also cost client and broker as much as the shared request.
 *
 * After a failure, or if the leader is unknown, a partition has separate requests until a request succeeds. So a
 * partition that cannot be written, or a broker that hangs, delays no other partition.
 *
 * ```
 *   partition 0 ─┐
 *   partition 3 ─┼─► broker 1 ──► [0, 3, 6]        one request, one answer
 *   partition 6 ─┘
 *   partition 1 ─┬─► broker 2 ──► [1]              4 has failed, and goes by itself
 *   partition 4 ─┘            ──► [4]
 * ```
 */
export function createSharedRequests(send: SendRequest, leaders: PartitionLeaders): AppendBundle {
  const queues = new Map<string, Waiting[]>();
  const failed = new Set<string>();

  const queueOf = ({ topic, partition }: PartitionBundle): string => {
    const name = nameOf({ topic, partition });
    const leader = failed.has(name) ? null : leaders.of(topic, partition);
    return leader === null ? name : `broker ${leader}`;
  };

  const fail = ({ bundle, reject }: Waiting, error: unknown) => {
    failed.add(nameOf(bundle));
    leaders.forget(bundle.topic);
    reject(error);
  };

  const sendTogether = async (request: readonly Waiting[]) => {
    if (request.length === 0) {
      return;
    }
    try {
      const offsets = await send(request.map(({ bundle }) => bundle));
      for (const [index, waiting] of request.entries()) {
        const offset = offsets[index] ?? null;
        if (offset === null) {
          fail(waiting, new Error(`the broker's answer does not acknowledge ${nameOf(waiting.bundle)}`));
        } else {
          failed.delete(nameOf(waiting.bundle));
          waiting.resolve(offset);
        }
      }
    } catch (error) {
      for (const waiting of request) {
        fail(waiting, error);
      }
    }
  };

  const run = async (name: string, waiting: Waiting[]) => {
    // Appends in one turn of the event loop share the first request.
    await endOfTurn();
    while (waiting.length > 0) {
      await sendTogether(waiting.splice(0, requestLength(waiting)).filter(isAwaited));
    }
    queues.delete(name);
  };

  return (bundle) =>
    new Promise((resolve, reject) => {
      const name = queueOf(bundle);
      const queue = queues.get(name);
      if (queue !== undefined) {
        queue.push({ bundle, resolve, reject });
        return;
      }
      const started = [{ bundle, resolve, reject }];
      queues.set(name, started);
      void run(name, started);
    });
}

/** Whether a waiting bundle must be sent. A bundle that was canceled while it waited for a broker is not sent. */
function isAwaited({ bundle, reject }: Waiting): boolean {
  if (!bundle.isAwaited()) {
    reject(new Error(`the append to ${nameOf(bundle)} was canceled before its request`));
    return false;
  }
  return true;
}

function nameOf({ topic, partition }: Pick<PartitionBundle, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}

/** The number of waiting bundles that fit into one request, at least one. */
function requestLength(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const firstThatDoesNotFit = waiting.findIndex(({ bundle }) => {
    bytes += bundle.bytes;
    return bytes > maximumRequestBytes;
  });
  return firstThatDoesNotFit === -1 ? waiting.length : Math.max(1, firstThatDoesNotFit);
}

/** The value of `acks` with which a broker waits for all in-sync replicas. */
const allInSyncReplicas = -1;

/** Sends bundles for several partitions, in one request for each broker that leads one of the partitions. */
export function createSendRequest(producer: Pick<Producer, 'sendBatch'>): SendRequest {
  return async (bundles) => {
    const answers = await producer.sendBatch({
      acks: allInSyncReplicas,
      topicMessages: messagesByTopic(bundles),
    });
    return bundles.map(({ topic, partition }) => {
      // kafkajs can resolve without the answer for a partition whose leader moved during the request.
      const answer = answers.find(
        (metadata) => metadata.topicName === topic && metadata.partition === partition,
      );
      return answer?.baseOffset === undefined || answer.errorCode !== 0 ? null : Number(answer.baseOffset);
    });
  };
}

/**
 * Appends messages to one partition. `topic` is the full name of the topic.
 * @returns the offset of the first message, when all in-sync replicas have the messages
 * @throws if the broker does not acknowledge the messages; they may be written nevertheless
 */
export async function sendToPartition(
  producer: Pick<Producer, 'sendBatch'>,
  topic: string,
  partition: number,
  messages: readonly Message[],
): Promise<number> {
  const [offset = null] = await createSendRequest(producer)([{ topic, partition, messages, bytes: 0 }]);
  if (offset === null) {
    throw new Error(`the answer of the broker does not acknowledge partition ${partition} of ${topic}`);
  }
  return offset;
}

function messagesByTopic(bundles: readonly PartitionBundle[]): TopicMessages[] {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, messages } of bundles) {
    const own = byTopic.get(topic) ?? [];
    byTopic.set(topic, own);
    own.push(...messages);
  }
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
}
