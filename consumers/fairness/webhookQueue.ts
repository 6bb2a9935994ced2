import type { AttemptOrigin, LatencyClass } from '../latency/attemptClasses.js';
import type { QueueEntry } from './fairQueue.js';
import { createLinkedQueue, type LinkedQueue } from './linkedQueue.js';

/** The owner and the origin of a waiting attempt. */
export interface Claim {
  readonly accountId: string;
  /** The tenancy of the webhook, or `noTenant`. */
  readonly tenant: string;
  readonly webhookId: string;
  readonly origin: AttemptOrigin;
}

/** The waiting attempts of one webhook. */
export interface WebhookQueue<Item> {
  readonly webhookId: string;
  readonly accountId: string;
  readonly tenant: string;
  latencyClass: LatencyClass;
  inFlight: number;
  /** The entries by origin, each of which is null until the first attempt of its origin. */
  readonly entries: Record<AttemptOrigin, Entry<Item> | null>;
}

export interface Entry<Item> extends QueueEntry<Entry<Item>> {
  readonly queue: WebhookQueue<Item>;
  readonly origin: AttemptOrigin;
  readonly waiting: LinkedQueue<Item>;
}

export function createWebhookQueue<Item>(
  { accountId, tenant, webhookId }: Claim,
  latencyClass: LatencyClass,
): WebhookQueue<Item> {
  const entries = { release: null, first: null, retry: null, replay: null };
  return { webhookId, accountId, tenant, latencyClass, inFlight: 0, entries };
}

export function entryIn<Item>(queue: WebhookQueue<Item>, origin: AttemptOrigin): Entry<Item> {
  const { accountId, tenant, entries } = queue;
  const waiting = createLinkedQueue<Item>();
  entries[origin] ??= {
    queue,
    accountId,
    tenant,
    origin,
    load: queue.inFlight,
    node: null,
    bucket: 0,
    waiting,
  };
  return entries[origin];
}

export function entriesOf<Item>({
  entries: { release, first, retry, replay },
}: WebhookQueue<Item>): readonly Entry<Item>[] {
  return [release, first, retry, replay].filter((entry) => entry !== null);
}

/** The order in which a webhook's origins are served. Attempts of the backlog are the oldest, and include tests. */
const turns: Readonly<Record<AttemptOrigin, number>> = { release: 0, first: 1, retry: 1, replay: 2 };

export function mayBeServed<Item>({ queue, origin, waiting }: Entry<Item>): boolean {
  return (
    waiting.size > 0 &&
    entriesOf(queue).every((other) => other.waiting.size === 0 || turns[other.origin] >= turns[origin])
  );
}

export function waitingIn<Item>(queue: WebhookQueue<Item>): number {
  return waitingBeforeIn(queue, 'replay');
}

/** The number of attempts that are served before a new attempt of an origin. */
export function waitingBeforeIn<Item>(queue: WebhookQueue<Item>, origin: AttemptOrigin): number {
  return entriesOf(queue)
    .filter((entry) => turns[entry.origin] <= turns[origin])
    .reduce((sum, { waiting }) => sum + waiting.size, 0);
}
