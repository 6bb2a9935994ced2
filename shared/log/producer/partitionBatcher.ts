import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';

/** Messages that one decision appends together: they go into one request, or wait. */
export interface Bundle<Message> {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/** What one request carries. */
export interface RequestBundle<Message> extends Bundle<Message> {
  /** Whether a caller still waits for it: a request that is not written yet must not be written otherwise. */
  readonly isAwaited: () => boolean;
}

export interface PartitionBatcherSettings {
  /** The most messages of one request; a larger bundle still goes as one. */
  readonly maximumBatchMessages: number;
  /** The most bytes of one request: below the broker's `max.message.bytes`, which bounds a whole batch. */
  readonly maximumBatchBytes: number;
  /** How long a bundle may wait for its acknowledgement before its caller is told that it has none. */
  readonly deliveryTimeoutMs: number;
  /** The pause before a failed request is sent again. */
  readonly retryPauseMs: number;
}

export interface PartitionBatcher<Message> {
  /**
   * Resolves with the offset of the bundle's first message once all in-sync replicas have it.
   * @param deadline by `performance.now()`; no request with the bundle is begun after it
   * @throws UnknownOutcomeError if there is no acknowledgement in time; the messages may be written later
   * @throws UnavailableError if no request was begun in time; the messages are never written
   */
  append: (bundle: Bundle<Message>, deadline?: number) => Promise<number>;
  /** Resolves when nothing waits and nothing is under way. */
  idle: () => Promise<void>;
}

interface Entry<Message> extends Bundle<Message> {
  /** By `performance.now()`. The timer alone does not decide: after a pause of the process it may fire later than other work. */
  readonly deadline: number;
  /** Whether a request with it was begun. */
  isSent: boolean;
  /** Whether the caller has its answer: an entry that was given up is not sent again. */
  settled: boolean;
  acknowledge: (baseOffset: number) => void;
  giveUp: () => void;
}

/**
 * A queue for one partition with at most one outstanding request: what arrives meanwhile is the next batch.
 *
 * With one request at a time for one partition, a client that loses track of its answers in a failover cannot take
 * one partition's answer for another's, and a request that is repeated can only double records, never
 * re-order them. Doubled records are harmless: consumers know them by their `ce_id`.
 *
 * @param send sends one request and resolves with the offset of its first message; where it fails it is called again
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
        // The caller learns of it when its time is up; the client's own log line says what failed.
        await pause(settings.retryPauseMs);
      }
    }
  };

  const run = async () => {
    // What was read from the network in this turn of the event loop shares the first request.
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
  return new UnknownOutcomeError('the log gave no acknowledgement in time');
}

function neverSent(): UnavailableError {
  return new UnavailableError('the log could not be written to in time');
}

/** Whether its caller still waits, as of now. */
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
