import type { AttemptOrigin, LatencyClass } from '../latency/attemptClasses.js';
import type { QueueEntry } from './fairQueue.js';
import { outside } from './indexedHeap.js';
import { createLinkedQueue, type LinkedQueue } from './linkedQueue.js';

/** The owner and the origin of a waiting attempt. */
export interface Claim {
  readonly accountId: string;
  readonly webhookId: string;
  readonly origin: AttemptOrigin;
}

/** The waiting attempts of one webhook. */
export interface WebhookQueue<Item> {
  readonly webhookId: string;
  readonly accountId: string;
  latencyClass: LatencyClass;
  inFlight: number;
  /** The entries by origin, each of which is null until the first attempt of its origin. */
  readonly entries: Record<AttemptOrigin, Entry<Item> | null>;
}

export interface Entry<Item> extends QueueEntry {
  readonly queue: WebhookQueue<Item>;
  readonly origin: AttemptOrigin;
  readonly waiting: LinkedQueue<Item>;
}

export function createWebhookQueue<Item>(
  { accountId, webhookId }: Claim,
  latencyClass: LatencyClass,
): WebhookQueue<Item> {
  const entries = { first: null, retry: null, replay: null };
  return { webhookId, accountId, latencyClass, inFlight: 0, entries };
}

export function entryIn<Item>(queue: WebhookQueue<Item>, origin: AttemptOrigin): Entry<Item> {
  const { accountId, entries } = queue;
  const waiting = createLinkedQueue<Item>();
  entries[origin] ??= {
    queue,
    accountId,
    origin,
    load: queue.inFlight,
    servedAt: 0,
    place: outside,
    waiting,
  };
  return entries[origin];
}

export function entriesOf<Item>({
  entries: { first, retry, replay },
}: WebhookQueue<Item>): readonly Entry<Item>[] {
  return [first, retry, replay].filter((entry) => entry !== null);
}

export function mayBeServed<Item>({ queue, origin, waiting }: Entry<Item>): boolean {
  return waiting.size > 0 && (origin !== 'replay' || waitingBeforeIn(queue, 'first') === 0);
}

export function waitingIn<Item>(queue: WebhookQueue<Item>): number {
  return waitingBeforeIn(queue, 'replay');
}

/**
 * The number of attempts that are served before a new attempt of an origin. Only replays wait for all other origins.
 */
export function waitingBeforeIn<Item>({ entries }: WebhookQueue<Item>, origin: AttemptOrigin): number {
  const others = (entries.first?.waiting.size ?? 0) + (entries.retry?.waiting.size ?? 0);
  return origin === 'replay' ? others + (entries.replay?.waiting.size ?? 0) : others;
}
