import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';

/** Messages of one decision. They go into the same request, or wait together. */
export interface Bundle<Message> {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/** The content of one request. */
export interface RequestBundle<Message> extends Bundle<Message> {
  /** Whether a caller still waits for it. Otherwise a request that was not sent yet must not be sent. */
  readonly isAwaited: () => boolean;
}

export interface PartitionBatcherSettings {
  /** The largest number of messages in one request. A larger bundle is still sent as one. */
  readonly maximumBatchMessages: number;
  /**
   * The largest number of bytes in one request. It is below the broker's `max.message.bytes`, which limits a whole
   * batch.
   */
  readonly maximumBatchBytes: number;
  /** The longest wait of a bundle for its acknowledgement. */
  readonly deliveryTimeoutMs: number;
  /** The pause before a failed request is repeated. */
  readonly retryPauseMs: number;
}

export interface PartitionBatcher<Message> {
  /**
   * Resolves with the offset of the bundle's first message, once all in-sync replicas have it.
   * @param deadline a time of `performance.now()`; no request with the bundle starts after it
   * @throws UnknownOutcomeError if there is no acknowledgement in time; the messages may be written later
   * @throws UnavailableError if no request was started in time; the messages are never written
   */
  append: (bundle: Bundle<Message>, deadline?: number) => Promise<number>;
  /** Resolves when no bundle waits and no request is in flight. */
  idle: () => Promise<void>;
}

interface Entry<Message> extends Bundle<Message> {
  /**
   * A time of `performance.now()`. The timer alone does not decide, because after a pause of the process it may fire
   * late.
   */
  readonly deadline: number;
  /** Whether a request with it was started. */
  isSent: boolean;
  /** Whether the caller has its answer. Such an entry is not sent again. */
  settled: boolean;
  acknowledge: (baseOffset: number) => void;
  giveUp: () => void;
}

/**
 * A queue for one partition with at most one request in flight. Messages that arrive meanwhile form the next batch.
 *
 * A client may mix up its answers in a failover. With one request at a time for a partition, it cannot take the answer
 * of another partition. A repeated request can then only duplicate records, never reorder them. Duplicates are
 * harmless, because consumers recognize them by their `ce_id`.
 *
 * @param send sends one request and resolves with the offset of its first message; after a failure it is called again
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
        // The caller gets an error at its deadline. The log line of the client contains the cause.
        await pause(settings.retryPauseMs);
      }
    }
  };

  const run = async () => {
    // Messages that arrive in this turn of the event loop share the first request.
    await endOfTurn();
    while (queue.length > 0) {
      await sendUntilSettled(queue.splice(0, batchLength(queue, settings)));
    }
    running = null;
  };

  return {
    append: (bundle, deadline = Number.POSITIVE_INFINITY) =>
      new Promise((resolve, reject) => {
        const now = performance.now();
        const endsAt = Math.min(deadline, now + settings.deliveryTimeoutMs);
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

/** Whether the caller still waits at this moment. */
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
