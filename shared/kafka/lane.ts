import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../errors.js';

/** Messages that one decision appends together: they go into one request, or wait. */
export interface Bundle<Message> {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

export interface LaneSettings {
  /** The most messages of one request; a larger bundle still goes as one. */
  readonly maximumBatchMessages: number;
  /** The most bytes of one request: below the broker's `max.message.bytes`, which bounds a whole batch. */
  readonly maximumBatchBytes: number;
  /** How long a bundle may wait for its acknowledgement before its caller is told that it has none. */
  readonly deliveryTimeoutMs: number;
  /** The pause before a failed request is sent again. */
  readonly retryPauseMs: number;
}

export interface Lane<Message> {
  /**
   * Resolves with the offset of the bundle's first message once all in-sync replicas have it.
   * @throws UnavailableError where there is no acknowledgement in time; the messages may be written all the same
   */
  append: (bundle: Bundle<Message>) => Promise<number>;
  /** Resolves when nothing waits and nothing is under way. */
  idle: () => Promise<void>;
}

interface Entry<Message> extends Bundle<Message> {
  /** Whether the caller has its answer: an entry that was given up is not sent again. */
  settled: boolean;
  acknowledge: (baseOffset: number) => void;
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
export function createLane<Message>(
  send: (bundle: Bundle<Message>) => Promise<number>,
  settings: LaneSettings,
): Lane<Message> {
  const queue: Entry<Message>[] = [];
  let running: Promise<void> | null = null;

  const sendUntilSettled = async (batch: readonly Entry<Message>[]) => {
    for (let open = batch; open.length > 0; open = open.filter(({ settled }) => !settled)) {
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
    append: (bundle) =>
      new Promise((resolve, reject) => {
        const giveUp = setTimeout(() => {
          entry.settled = true;
          dropSettled(queue);
          reject(new UnavailableError('the log gave no acknowledgement in time'));
        }, settings.deliveryTimeoutMs);
        const entry: Entry<Message> = {
          settled: false,
          acknowledge: (baseOffset) => {
            clearTimeout(giveUp);
            entry.settled = true;
            resolve(baseOffset);
          },
          ...bundle,
        };
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

function together<Message>(bundles: readonly Bundle<Message>[]): Bundle<Message> {
  return {
    messages: bundles.flatMap(({ messages }) => messages),
    bytes: bundles.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function acknowledgeAll<Message>(entries: readonly Entry<Message>[], baseOffset: number): void {
  let offset = baseOffset;
  for (const entry of entries) {
    entry.acknowledge(offset);
    offset += entry.messages.length;
  }
}

/** Entries expire in the order in which they came, so those that did are at the head. */
function dropSettled<Message>(queue: Entry<Message>[]): void {
  const open = queue.findIndex(({ settled }) => !settled);
  queue.splice(0, open === -1 ? queue.length : open);
}

function batchLength<Message>(queue: readonly Bundle<Message>[], settings: LaneSettings): number {
  let messages = 0;
  let bytes = 0;
  const firstThatDoesNotFit = queue.findIndex((bundle) => {
    messages += bundle.messages.length;
    bytes += bundle.bytes;
    return messages > settings.maximumBatchMessages || bytes > settings.maximumBatchBytes;
  });
  return firstThatDoesNotFit === -1 ? queue.length : Math.max(1, firstThatDoesNotFit);
}
