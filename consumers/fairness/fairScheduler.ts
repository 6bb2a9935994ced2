import {
  attemptOrigins,
  latencyClasses,
  type AttemptOrigin,
  type LatencyClass,
} from '../latency/attemptClasses.js';
import { createFairQueue, type FairQueue } from './fairQueue.js';
import { outside } from './indexedHeap.js';
import { enqueue, removeFrom, type QueueNode } from './linkedQueue.js';
import { createSlotPool, type SlotPool, type SlotSettings } from './slotPools.js';
import {
  createWebhookQueue,
  entriesOf,
  entryIn,
  mayBeServed,
  waitingBeforeIn,
  waitingIn,
  type Claim,
  type Entry,
  type WebhookQueue,
} from './webhookQueue.js';

export interface SchedulerSettings {
  /** The most attempts in flight to one webhook. */
  readonly webhookConcurrency: number;
  readonly slots: SlotSettings;
}

/** An attempt that waits for a slot. */
export interface Ticket<Item> {
  readonly claim: Claim;
  readonly entry: Entry<Item>;
  readonly node: QueueNode<Item>;
}

/** An attempt that has a slot. */
export interface Grant<Item> {
  readonly item: Item;
  readonly line: WebhookQueue<Item>;
  readonly origin: AttemptOrigin;
  /** The class that the slot belongs to. The webhook may have moved to another class since. */
  readonly latencyClass: LatencyClass;
  isLingering: boolean;
}

/** What is before an attempt that would join now. */
export interface Load {
  /** Attempts of the same webhook. */
  readonly webhook: { readonly waiting: number; readonly inFlight: number };
  /** Attempts of the same class and origin that would be served before, and the attempts of the class that are in flight. */
  readonly latencyClass: { readonly waiting: number; readonly inFlight: number };
}

/** Decides which attempt gets the next slot. */
export interface FairScheduler<Item> {
  readonly join: (claim: Claim, latencyClass: LatencyClass, item: Item) => Ticket<Item>;
  /** Removes an attempt that has no slot yet. */
  readonly leave: (ticket: Ticket<Item>) => void;
  /** Gives a slot to the attempt that is next; null if no attempt may have a slot now. */
  readonly next: () => Grant<Item> | null;
  readonly release: (grant: Grant<Item>) => void;
  /**
   * Frees the slot of an attempt that has become slow, which then occupies a place for slow exchanges.
   * @returns whether there was such a place
   */
  readonly linger: (grant: Grant<Item>) => boolean;
  /** Moves the attempts that wait for a webhook to the class that it now belongs to. */
  readonly reclassify: (webhookId: string, latencyClass: LatencyClass) => void;
  readonly loadBefore: (claim: Claim, latencyClass: LatencyClass) => Load;
  /** Whether slow exchanges occupy more than half of the places that the class has for them. */
  readonly isCrowdedByLingering: (latencyClass: LatencyClass) => boolean;
}

interface ClassQueues<Item> {
  readonly pool: SlotPool;
  readonly byOrigin: Readonly<Record<AttemptOrigin, FairQueue<Entry<Item>>>>;
  readonly waiting: Record<AttemptOrigin, number>;
  /** The origin that was served last: the others are asked before it. */
  lastServed: number;
}

/**
 * ```
 *              ┌─ fast ────┬─ first ───┬─ account A ─┬─ webhook 1: ▢▢▢▢▢▢
 *   a slot ──► ├─ unknown  ├─ retry    │             └─ webhook 2: ▢
 *   is free    └─ slow     └─ replay   └─ account B ─── webhook 3: ▢▢
 * ```
 * Each class has slots of its own. In a class each origin has some too, and each queue serves accounts and webhooks fairly. A webhook whose
 * attempts in flight are at the limit is in no queue, and its replays wait until no other attempt waits for it.
 */
export function createFairScheduler<Item>(settings: SchedulerSettings): FairScheduler<Item> {
  const { webhookConcurrency, slots } = settings;
  const lines = new Map<string, WebhookQueue<Item>>();
  const classes = classRecord((latencyClass) => createClassQueues<Item>(slots, latencyClass));

  const lineOf = (claim: Claim, latencyClass: LatencyClass): WebhookQueue<Item> => {
    const known = lines.get(claim.webhookId);
    if (known !== undefined) {
      return known;
    }
    const line = createWebhookQueue<Item>(claim, latencyClass);
    lines.set(claim.webhookId, line);
    return line;
  };

  /** Queues the entries of a line that may be served, and no others. */
  const settle = (line: WebhookQueue<Item>) => {
    const { byOrigin } = classes[line.latencyClass];
    for (const entry of entriesOf(line)) {
      entry.load = line.inFlight;
      if (line.inFlight < webhookConcurrency && mayBeServed(entry)) {
        byOrigin[entry.origin].put(entry);
      } else if (entry.place !== outside) {
        byOrigin[entry.origin].remove(entry);
      }
    }
    if (line.inFlight === 0 && waitingIn(line) === 0) {
      lines.delete(line.webhookId);
    }
  };

  const changeWaiting = ({ line, origin }: Entry<Item>, by: number) => {
    classes[line.latencyClass].waiting[origin] += by;
  };

  const nextEntry = (latencyClass: LatencyClass): Entry<Item> | null => {
    const { pool, byOrigin, lastServed } = classes[latencyClass];
    for (let step = 1; step <= attemptOrigins.length; step += 1) {
      const origin = originAt(lastServed + step);
      const next = byOrigin[origin].first();
      const free = next === null ? 0 : pool.freeFor(origin);
      // The class "fast" has no hanging exchange for long, so one account may have all of it.
      if (next !== null && free > 0 && (latencyClass === 'fast' || next.accountSlots < free)) {
        return next.entry;
      }
    }
    return null;
  };

  const grantTo = (entry: Entry<Item>, node: QueueNode<Item>): Grant<Item> => {
    const { line, origin } = entry;
    const { latencyClass } = line;
    const queues = classes[latencyClass];
    queues.pool.take(origin);
    queues.byOrigin[origin].take(entry);
    queues.lastServed = attemptOrigins.indexOf(origin);
    removeFrom(entry.waiting, node);
    changeWaiting(entry, -1);
    line.inFlight += 1;
    settle(line);
    return { item: node.item, line, origin, latencyClass, isLingering: false };
  };

  return {
    join: (claim, latencyClass, item) => {
      const line = lineOf(claim, latencyClass);
      const entry = entryIn(line, claim.origin);
      const node = enqueue(entry.waiting, item);
      changeWaiting(entry, 1);
      settle(line);
      return { claim, entry, node };
    },
    leave: ({ entry, node }) => {
      if (node.isQueued) {
        removeFrom(entry.waiting, node);
        changeWaiting(entry, -1);
        settle(entry.line);
      }
    },
    next: () => {
      for (const latencyClass of latencyClasses) {
        const entry = nextEntry(latencyClass);
        const node = entry?.waiting.first ?? null;
        if (entry !== null && node !== null) {
          return grantTo(entry, node);
        }
      }
      return null;
    },
    release: ({ line, origin, latencyClass, isLingering }) => {
      const { pool, byOrigin } = classes[latencyClass];
      if (isLingering) {
        pool.endLingering();
      } else {
        pool.release(origin);
        byOrigin[origin].release(line.accountId);
      }
      line.inFlight -= 1;
      settle(line);
    },
    linger: (grant) => {
      const { line, origin, latencyClass, isLingering } = grant;
      const { pool, byOrigin } = classes[latencyClass];
      if (!isLingering && pool.linger(origin)) {
        byOrigin[origin].release(line.accountId);
        grant.isLingering = true;
      }
      return grant.isLingering;
    },
    reclassify: (webhookId, latencyClass) => {
      const line = lines.get(webhookId);
      if (line === undefined || line.latencyClass === latencyClass) {
        return;
      }
      const from = classes[line.latencyClass];
      for (const entry of entriesOf(line)) {
        const { origin, waiting } = entry;
        from.byOrigin[origin].remove(entry);
        from.waiting[origin] -= waiting.size;
        classes[latencyClass].waiting[origin] += waiting.size;
      }
      line.latencyClass = latencyClass;
      settle(line);
    },
    loadBefore: ({ accountId, webhookId, origin }, latencyClass) => {
      const line = lines.get(webhookId);
      const queues = classes[latencyClass];
      const ofWebhook = line === undefined ? 0 : waitingBeforeIn(line, origin);
      const { accounts, webhooks } = queues.byOrigin[origin].waitingBefore(accountId);
      // In each round of the queue every account has one turn, and in each round of the account every webhook.
      const inTurn = accounts * (Math.max(1, webhooks) * (ofWebhook + 1));
      return {
        webhook: { waiting: ofWebhook, inFlight: line?.inFlight ?? 0 },
        latencyClass: {
          waiting: Math.min(queues.waiting[origin], inTurn),
          inFlight: queues.pool.inFlight,
        },
      };
    },
    isCrowdedByLingering: (latencyClass) => classes[latencyClass].pool.isCrowdedByLingering(),
  };
}

function classRecord<Value>(create: (latencyClass: LatencyClass) => Value): Record<LatencyClass, Value> {
  return { fast: create('fast'), unknown: create('unknown'), slow: create('slow') };
}

function createClassQueues<Item>(slots: SlotSettings, latencyClass: LatencyClass): ClassQueues<Item> {
  return {
    pool: createSlotPool(slots[latencyClass]),
    byOrigin: { first: createFairQueue(), retry: createFairQueue(), replay: createFairQueue() },
    waiting: { first: 0, retry: 0, replay: 0 },
    lastServed: attemptOrigins.length - 1,
  };
}

function originAt(index: number): AttemptOrigin {
  return attemptOrigins[index % attemptOrigins.length] ?? 'first';
}
