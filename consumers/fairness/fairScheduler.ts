import {
  attemptOrigins,
  latencyClasses,
  type AttemptOrigin,
  type LatencyClass,
} from '../latency/attemptClasses.js';
import { createFairQueue, type FairQueue, type SlotRules } from './fairQueue.js';
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
  readonly queue: WebhookQueue<Item>;
  readonly origin: AttemptOrigin;
  /** The latency class of the slot. The webhook may have moved to another class since the grant. */
  readonly latencyClass: LatencyClass;
  isSlow: boolean;
}

/** The load ahead of an attempt that would join the scheduler now. */
export interface Load {
  /** The waiting attempts of the webhook, and its attempts in flight. */
  readonly webhook: { readonly waiting: number; readonly inFlight: number };
  /**
   * The waiting attempts of the class and origin that would be served first, and the attempts of the class in flight.
   */
  readonly latencyClass: { readonly waiting: number; readonly inFlight: number };
}

/** Decides which attempt gets the next slot. */
export interface FairScheduler<Item> {
  readonly join: (claim: Claim, latencyClass: LatencyClass, item: Item) => Ticket<Item>;
  /** Removes an attempt that has no slot yet. */
  readonly leave: (ticket: Ticket<Item>) => void;
  /** Gives a slot to the attempt that is next. Returns null if no attempt may have a slot now. */
  readonly next: () => Grant<Item> | null;
  readonly release: (grant: Grant<Item>) => void;
  /**
   * Moves an attempt that has become slow from its slot to a place for slow exchanges.
   * @returns whether a place was free
   */
  readonly moveToSlow: (grant: Grant<Item>) => boolean;
  /** Moves the waiting attempts of a webhook to the webhook's new latency class. */
  readonly reclassify: (webhookId: string, latencyClass: LatencyClass) => void;
  readonly loadBefore: (claim: Claim, latencyClass: LatencyClass) => Load;
  /** The attempts of a webhook in flight, which include those that have become slow. */
  readonly inFlightOf: (webhookId: string) => number;
  /** Whether slow exchanges occupy more than half of the places that the class has for them. */
  readonly hasManySlow: (latencyClass: LatencyClass) => boolean;
}

interface ClassQueues<Item> {
  readonly pool: SlotPool;
  readonly byOrigin: Readonly<Record<AttemptOrigin, FairQueue<Entry<Item>>>>;
  readonly waiting: Record<AttemptOrigin, number>;
  /** The index of the origin that was served last, which the scheduler tries last. */
  lastServed: number;
}

/**
 * The scheduler of all waiting attempts:
 *
 * ```
 *              ┌─ fast ────┬─ first ───┬─ account A ─┬─ tenant X ─┬─ webhook 1: ▢▢▢▢▢▢
 *   a slot ──► ├─ unknown  ├─ retry    │             │            └─ webhook 2: ▢
 *   is free    └─ slow     ├─ replay   │             └─ tenant Y ─── webhook 3: ▢▢
 *                          └─ release  └─ account B ──────────────── webhook 4: ▢
 * ```
 * Each latency class has its own slots, and each origin of attempts has reserved slots in the class. Releases share
 * those of retries. Each queue serves accounts, tenants and webhooks fairly. A webhook at its limit of attempts in
 * flight is in no queue. Released attempts of a webhook are first, because they are its oldest. Replay attempts of a
 * webhook wait until no other attempt waits for the webhook.
 */
export function createFairScheduler<Item>(settings: SchedulerSettings): FairScheduler<Item> {
  const { webhookConcurrency, slots } = settings;
  const webhookQueues = new Map<string, WebhookQueue<Item>>();
  const classes = classRecord((latencyClass) => createClassQueues<Item>(slots, latencyClass));

  const queueOf = (claim: Claim, latencyClass: LatencyClass): WebhookQueue<Item> => {
    const known = webhookQueues.get(claim.webhookId);
    if (known !== undefined) {
      return known;
    }
    const queue = createWebhookQueue<Item>(claim, latencyClass);
    webhookQueues.set(claim.webhookId, queue);
    return queue;
  };

  /** Puts the entries of a webhook that may be served into the class queues, and removes its other entries. */
  const settle = (queue: WebhookQueue<Item>) => {
    const { byOrigin } = classes[queue.latencyClass];
    for (const entry of entriesOf(queue)) {
      entry.load = queue.inFlight;
      if (queue.inFlight < webhookConcurrency && mayBeServed(entry)) {
        byOrigin[entry.origin].put(entry);
      } else if (entry.node !== null) {
        byOrigin[entry.origin].remove(entry);
      }
    }
    if (queue.inFlight === 0 && waitingIn(queue) === 0) {
      webhookQueues.delete(queue.webhookId);
    }
  };

  const changeWaiting = ({ queue, origin }: Entry<Item>, by: number) => {
    classes[queue.latencyClass].waiting[origin] += by;
  };

  const nextEntry = (latencyClass: LatencyClass): Entry<Item> | null => {
    const { pool, byOrigin, waiting, lastServed } = classes[latencyClass];
    for (let step = 1; step <= attemptOrigins.length; step += 1) {
      const origin = originAt(lastServed + step);
      const free = waiting[origin] > 0 ? pool.freeFor(origin) : 0;
      const next = free > 0 ? byOrigin[origin].first(slotRules(latencyClass, free)) : null;
      if (next !== null) {
        return next;
      }
    }
    return null;
  };

  const grantTo = (entry: Entry<Item>, node: QueueNode<Item>): Grant<Item> => {
    const { queue, origin } = entry;
    const { latencyClass } = queue;
    const classQueues = classes[latencyClass];
    classQueues.pool.take(origin);
    classQueues.byOrigin[origin].take(entry);
    classQueues.lastServed = attemptOrigins.indexOf(origin);
    removeFrom(entry.waiting, node);
    changeWaiting(entry, -1);
    queue.inFlight += 1;
    settle(queue);
    return { item: node.item, queue, origin, latencyClass, isSlow: false };
  };

  return {
    join: (claim, latencyClass, item) => {
      const queue = queueOf(claim, latencyClass);
      const entry = entryIn(queue, claim.origin);
      const node = enqueue(entry.waiting, item);
      changeWaiting(entry, 1);
      settle(queue);
      return { claim, entry, node };
    },
    leave: ({ entry, node }) => {
      if (node.isQueued) {
        removeFrom(entry.waiting, node);
        changeWaiting(entry, -1);
        settle(entry.queue);
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
    release: ({ queue, origin, latencyClass, isSlow }) => {
      const { pool, byOrigin } = classes[latencyClass];
      queue.inFlight -= 1;
      settle(queue);
      if (isSlow) {
        pool.releaseSlow();
      } else {
        pool.release(origin);
        byOrigin[origin].release(queue);
      }
    },
    moveToSlow: (grant) => {
      const { queue, origin, latencyClass, isSlow } = grant;
      const { pool, byOrigin } = classes[latencyClass];
      if (!isSlow && pool.moveToSlow(origin)) {
        byOrigin[origin].release(queue);
        grant.isSlow = true;
      }
      return grant.isSlow;
    },
    reclassify: (webhookId, latencyClass) => {
      const queue = webhookQueues.get(webhookId);
      if (queue === undefined || queue.latencyClass === latencyClass) {
        return;
      }
      const from = classes[queue.latencyClass];
      for (const entry of entriesOf(queue)) {
        const { origin, waiting } = entry;
        from.byOrigin[origin].remove(entry);
        from.waiting[origin] -= waiting.size;
        classes[latencyClass].waiting[origin] += waiting.size;
      }
      queue.latencyClass = latencyClass;
      settle(queue);
    },
    loadBefore: (claim, latencyClass) => {
      const { webhookId, origin } = claim;
      const queue = webhookQueues.get(webhookId);
      const classQueues = classes[latencyClass];
      const ofWebhook = queue === undefined ? 0 : waitingBeforeIn(queue, origin);
      const { accounts, tenants, webhooks } = classQueues.byOrigin[origin].waitingBefore(claim);
      // Each round of the queue serves every account once. Each round of an account serves every tenant once, and each
      // round of a tenant serves every webhook once.
      const inTurn = accounts * (Math.max(1, tenants) * (Math.max(1, webhooks) * (ofWebhook + 1)));
      return {
        webhook: { waiting: ofWebhook, inFlight: queue?.inFlight ?? 0 },
        latencyClass: {
          waiting: Math.min(classQueues.waiting[origin], inTurn),
          inFlight: classQueues.pool.inFlight,
        },
      };
    },
    inFlightOf: (webhookId) => webhookQueues.get(webhookId)?.inFlight ?? 0,
    hasManySlow: (latencyClass) => classes[latencyClass].pool.hasManySlow(),
  };
}

/**
 * The rules by which accounts and tenants leave slots to others. An account leaves as many slots of the classes
 * `unknown` and `slow` as it has. A tenant leaves as many of these slots to the other tenants of its account.
 * Exchanges of the class `fast` do not hang for long, so one account may have all slots of that class. A tenant may not,
 * because its webhooks may begin to hang at once.
 */
function slotRules(latencyClass: LatencyClass, free: number): SlotRules {
  return latencyClass === 'fast'
    ? { account: () => true, tenant: (tenantSlots) => tenantSlots < free }
    : {
        account: (accountSlots) => accountSlots < free,
        tenant: (tenantSlots, accountSlots) => tenantSlots < free - accountSlots,
      };
}

function classRecord<Value>(create: (latencyClass: LatencyClass) => Value): Record<LatencyClass, Value> {
  return { fast: create('fast'), unknown: create('unknown'), slow: create('slow') };
}

function createClassQueues<Item>(slots: SlotSettings, latencyClass: LatencyClass): ClassQueues<Item> {
  return {
    pool: createSlotPool(slots[latencyClass]),
    byOrigin: {
      first: createFairQueue(),
      retry: createFairQueue(),
      replay: createFairQueue(),
      release: createFairQueue(),
    },
    waiting: { first: 0, retry: 0, replay: 0, release: 0 },
    lastServed: attemptOrigins.length - 1,
  };
}

function originAt(index: number): AttemptOrigin {
  return attemptOrigins[index % attemptOrigins.length] ?? 'first';
}
