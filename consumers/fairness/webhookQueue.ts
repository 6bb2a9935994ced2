import type { AttemptOrigin, LatencyClass } from '../latency/attemptClasses.js';
import type { QueueEntry } from './fairQueue.js';
import { outside } from './indexedHeap.js';
import { createLinkedQueue, type LinkedQueue } from './linkedQueue.js';

/** Whose attempt waits, and where it comes from. */
export interface Claim {
  readonly accountId: string;
  readonly webhookId: string;
  readonly origin: AttemptOrigin;
}

/** The attempts of one webhook. */
export interface WebhookQueue<Item> {
  readonly webhookId: string;
  readonly accountId: string;
  latencyClass: LatencyClass;
  inFlight: number;
  /** Null as long as no attempt of the origin has come. */
  readonly entries: Record<AttemptOrigin, Entry<Item> | null>;
}

export interface Entry<Item> extends QueueEntry {
  readonly line: WebhookQueue<Item>;
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

export function entryIn<Item>(line: WebhookQueue<Item>, origin: AttemptOrigin): Entry<Item> {
  const { accountId, entries } = line;
  const waiting = createLinkedQueue<Item>();
  entries[origin] ??= { line, accountId, origin, load: line.inFlight, turn: 0, place: outside, waiting };
  return entries[origin];
}

export function entriesOf<Item>({
  entries: { first, retry, replay },
}: WebhookQueue<Item>): readonly Entry<Item>[] {
  return [first, retry, replay].filter((entry) => entry !== null);
}

export function mayBeServed<Item>({ line, origin, waiting }: Entry<Item>): boolean {
  return waiting.size > 0 && (origin !== 'replay' || waitingBeforeIn(line, 'first') === 0);
}

export function waitingIn<Item>(line: WebhookQueue<Item>): number {
  return waitingBeforeIn(line, 'replay');
}

/** Replays come last; the others are served in turn. */
export function waitingBeforeIn<Item>({ entries }: WebhookQueue<Item>, origin: AttemptOrigin): number {
  const others = (entries.first?.waiting.size ?? 0) + (entries.retry?.waiting.size ?? 0);
  return origin === 'replay' ? others + (entries.replay?.waiting.size ?? 0) : others;
}
