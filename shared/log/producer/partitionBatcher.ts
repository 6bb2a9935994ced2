import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';

/** Messages of one append, which are always sent in the same request. */
export interface Bundle<Message> {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/** The messages of one request. */
export interface RequestBundle<Message> extends Bundle<Message> {
  /** Whether a caller still waits for the bundle. If no caller waits, the request must not be sent. */
  readonly isAwaited: () => boolean;
}

export interface PartitionBatcherSettings {
  /** The maximum number of messages in one request. A larger bundle is still sent in one request. */
  readonly maximumBatchMessages: number;
  /**
   * The maximum number of bytes in one request. The maximum size of a request is below the broker's
   * `max.message.bytes`, which limits a whole batch.
   */
  readonly maximumBatchBytes: number;
  /** The longest wait of a bundle for its acknowledgement, in milliseconds. */
  readonly deliveryTimeoutMs: number;
  /** The pause before a failed request is repeated. */
  readonly retryPauseMs: number;
}

/** Times of `performance.now()`. */
export interface AppendOptions {
  /** The time after which no request starts and the append fails. */
  readonly deadline?: number;
  /** The time from which the delivery timeout counts, because someone waits since then; the present by default. */
  readonly since?: number;
}

export interface PartitionBatcher<Message> {
  /**
   * Appends a bundle. The promise resolves with the offset of the bundle's first message, when all in-sync replicas
   * have the bundle.
   * @throws UnknownOutcomeError if the broker acknowledges no request in time; the messages may be written later
   * @throws UnavailableError if no request was started in time; the messages are never written
   */
  append: (bundle: Bundle<Message>, options?: AppendOptions) => Promise<number>;
  /** Resolves when no bundle waits and no request is in flight. */
  idle: () => Promise<void>;
}

interface Entry<Message> extends Bundle<Message> {
  /**
   * The time of `performance.now()` at which the append fails. The deadline is compared before each request, because
   * the timer may fire late after a pause of the process.
   */
  readonly deadline: number;
  /** Whether a request with the entry was started. */
  isSent: boolean;
  /** Whether the caller has its result. A settled entry is not sent again. */
  settled: boolean;
  acknowledge: (baseOffset: number) => void;
  giveUp: () => void;
}

/**
 * The partition batcher: a queue for one partition with at most one request in flight. Messages that arrive during a
 * request form the next batch.
 *
 * During a failover, kafkajs may assign an answer to the wrong request. One request at a time for each partition
 * prevents a wrong assignment. A repeated request can duplicate records, but cannot reorder records. Duplicates are
 * harmless, because consumers recognize them by their `ce_id`.
 *
 * @param send sends one request and resolves with the offset of the first message; a failed request is sent again
 */
export function createPartitionBatcher<Message>(
  send: (bundle: RequestBundle<Message>) => Promise<number>,
  settings: PartitionBatcherSettings,
): PartitionBatcher<Message> {
  const queue: Entry<Message>[] = [];
  let running: Promise<void> | null = null;

  const sendUntilSettled = async (batch: readonly Entry<Message>[]) => {
    for (let open = batch.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
      for (const entry of open) {
        entry.isSent = true;
      }
      try {
        acknowledgeAll(open, await send(together(open)));
      } catch {
        // A failed request is repeated. The caller gets an error at its deadline, and kafkajs logs the cause.
        await pause(settings.retryPauseMs);
      }
    }
  };

  const run = async () => {
    // Messages that are appended in one turn of the event loop share the first request.
    await endOfTurn();
    while (queue.length > 0) {
      await sendUntilSettled(queue.splice(0, batchLength(queue, settings)));
    }
    running = null;
  };

  return {
    append: (bundle, { deadline = Infinity, since = Infinity } = {}) =>
      new Promise((resolve, reject) => {
        const now = performance.now();
        const endsAt = Math.min(deadline, Math.min(since, now) + settings.deliveryTimeoutMs);
        const entry: Entry<Message> = {
          deadline: endsAt,
          isSent: false,
          settled: false,
          acknowledge: (baseOffset) => {
            clearTimeout(timer);
            entry.settled = true;
            resolve(baseOffset);
          },
          giveUp: () => {
            clearTimeout(timer);
            entry.settled = true;
            dropFrom(queue, entry);
            reject(entry.isSent ? unacknowledged() : neverSent());
          },
          ...bundle,
        };
        const timer = setTimeout(entry.giveUp, Math.max(0, endsAt - now));
        queue.push(entry);
        running ??= run();
      }),
    idle: async () => {
      while (running !== null) {
        await running;
      }
    },
  };
}

function unacknowledged(): UnknownOutcomeError {
  return new UnknownOutcomeError('Kafka did not acknowledge the record in time');
}

function neverSent(): UnavailableError {
  return new UnavailableError('the record could not be sent to Kafka in time');
}

/** Whether the caller of an append still waits. An entry whose deadline has passed is settled with an error. */
function isOpen<Message>(entry: Entry<Message>): boolean {
  if (!entry.settled && performance.now() >= entry.deadline) {
    entry.giveUp();
  }
  return !entry.settled;
}

function together<Message>(entries: readonly Entry<Message>[]): RequestBundle<Message> {
  return {
    messages: entries.flatMap(({ messages }) => messages),
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    isAwaited: () => entries.some(isOpen),
  };
}

function acknowledgeAll<Message>(entries: readonly Entry<Message>[], baseOffset: number): void {
  let offset = baseOffset;
  for (const entry of entries) {
    entry.acknowledge(offset);
    offset += entry.messages.length;
  }
}

function dropFrom<Message>(queue: Entry<Message>[], entry: Entry<Message>): void {
  const index = queue.indexOf(entry);
  if (index !== -1) {
    queue.splice(index, 1);
  }
}

function batchLength<Message>(queue: readonly Bundle<Message>[], settings: PartitionBatcherSettings): number {
  let messages = 0;
  let bytes = 0;
  const firstThatDoesNotFit = queue.findIndex((bundle) => {
    messages += bundle.messages.length;
    bytes += bundle.bytes;
    return messages > settings.maximumBatchMessages || bytes > settings.maximumBatchBytes;
  });
  return firstThatDoesNotFit === -1 ? queue.length : Math.max(1, firstThatDoesNotFit);
}
