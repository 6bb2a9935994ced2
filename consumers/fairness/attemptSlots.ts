import { type LatencyClass, slowExchangeMs } from '../latency/attemptClasses.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import { createSlotHoldTimes } from '../latency/slotHoldTimes.js';
import { createFairScheduler, type Grant, type Load, type SchedulerSettings } from './fairScheduler.js';
import { createLinkedQueue, enqueue, removeFrom, type LinkedQueue } from './linkedQueue.js';
import type { Claim } from './webhookQueue.js';

/**
 * Why an attempt did not begin. `aborted`: its partition was lost. `late`: its wait for a slot has exceeded the limit, or
 * its webhook has begun to hang.
 */
export type NoSlot = 'aborted' | 'late';

/** A slot of an attempt, which is released once. */
export interface Slot {
  readonly release: () => void;
}

/** The load ahead of an attempt that would wait for a slot now. */
export interface SlotLoad extends Load {
  readonly latencyClass: Load['latencyClass'] & {
    readonly name: LatencyClass;
    /** The mean time for which an attempt of the class has its slot, in milliseconds. */
    readonly meanHoldMs: number;
  };
}

export interface AttemptSlots {
  /** Waits for a slot, which the caller must release. */
  readonly take: (claim: Claim, signal: AbortSignal) => Promise<Slot | NoSlot>;
  readonly loadBefore: (claim: Claim) => SlotLoad;
  /**
   * Ends the waits of a webhook's attempts, the oldest first, because the webhook has begun to hang. All of them end at
   * once, so that they are parked before newer attempts. Released attempts are parked already, and continue to wait.
   * @returns whether an attempt has waited
   */
  readonly giveUpWaiting: (webhookId: string) => boolean;
}

export interface SlotDependencies extends SchedulerSettings {
  readonly tracker: Pick<LatencyTracker, 'answers' | 'hangs' | 'latencyClassOf' | 'onJudged'>;
  /** Milliseconds of a monotonic clock, which a pause of this process may stop, but not its work. */
  readonly now: () => number;
  /**
   * The interval at which a waiting attempt checks whether its webhook has begun to hang, in milliseconds; half a second
   * by default.
   */
  readonly checkMs?: number;
}

interface Waiting {
  /** Ends the attempt's wait with a slot. */
  readonly begin: (grant: Grant<Waiting>) => void;
  /** Ends the attempt's wait without a slot. */
  readonly giveUp: (reason: NoSlot) => void;
}

interface HeldSlot {
  readonly grant: Grant<Waiting>;
  readonly latencyClass: LatencyClass;
  readonly since: number;
}

/**
 * The longest wait for a slot: three times the longest expected wait. An attempt that waits longer is parked, unless its
 * webhook answers and only other webhooks occupy the slots.
 */
const longestWaitMs = 15_000;
const defaultCheckMs = 500;
/**
 * The time within which a webhook must have answered to count as fast while slow exchanges occupy half of their places.
 * If they do, many webhooks have begun to hang at once.
 */
const provenWithinMs = 1_000;

/**
 * The slots of a process, given to attempts by the fair scheduler. An exchange that becomes slow returns its slot and
 * occupies a place for slow exchanges. If no place is free, the slow exchange retains its slot until a place is free.
 */
export function createAttemptSlots({
  tracker,
  now,
  checkMs = defaultCheckMs,
  ...settings
}: SlotDependencies): AttemptSlots {
  const scheduler = createFairScheduler<Waiting>(settings);
  const holdTimes = createSlotHoldTimes(now);
  const waitingBySignal = createWaitingBySignal();
  const waitingByWebhook = createWaitingByWebhook();

  const latencyClassOf = (webhookId: string) =>
    tracker.latencyClassOf(webhookId, scheduler.hasManySlow('fast') ? provenWithinMs : Infinity);

  const serve = () => {
    for (let grant = scheduler.next(); grant !== null; grant = scheduler.next()) {
      holdTimes.began(grant.latencyClass);
      grant.item.begin(grant);
    }
  };

  const slowExchanges = createSlowExchangeWatch<HeldSlot>({
    moveToSlow: ({ grant }) => scheduler.moveToSlow(grant),
    onMoved: ({ latencyClass, since }) => {
      holdTimes.ended(latencyClass, since);
      serve();
    },
  });

  tracker.onJudged((webhookId) => {
    scheduler.reclassify(webhookId, latencyClassOf(webhookId));
    serve();
  });

  /** Whether an attempt waits only because other webhooks occupy the slots, and its own webhook answers. */
  const waitsForOthers = ({ webhookId }: Claim): boolean =>
    tracker.answers(webhookId) && scheduler.inFlightOf(webhookId) < settings.webhookConcurrency;

  const slotFor = (claim: Claim, signal: AbortSignal) =>
    new Promise<Grant<Waiting> | NoSlot>((resolve) => {
      const end = (result: Grant<Waiting> | NoSlot) => {
        clearTimeout(timer);
        waitingBySignal.remove(signal, waiting);
        waitingByWebhook.remove(claim, waiting);
        resolve(result);
      };
      const waiting: Waiting = {
        begin: end,
        giveUp: (reason) => {
          scheduler.leave(ticket);
          end(reason);
        },
      };
      const since = now();
      const check = () => {
        timer = setTimeout(check, checkMs);
        if (now() - since >= longestWaitMs && !waitsForOthers(claim)) {
          waiting.giveUp('late');
        } else if (tracker.hangs(claim.webhookId)) {
          // The attempts of many such webhooks would have all places of their account, and its others would wait.
          waitingByWebhook.giveUp(claim.webhookId);
        }
      };
      let timer = setTimeout(check, checkMs);
      waitingBySignal.add(signal, waiting);
      waitingByWebhook.add(claim, waiting);
      const latencyClass = latencyClassOf(claim.webhookId);
      scheduler.reclassify(claim.webhookId, latencyClass);
      const ticket = scheduler.join(claim, latencyClass, waiting);
      serve();
    });

  const release = (held: HeldSlot) => {
    const { grant, latencyClass, since } = held;
    if (!grant.isSlow) {
      holdTimes.ended(latencyClass, since);
    }
    scheduler.release(grant);
    slowExchanges.retry(latencyClass);
    serve();
  };

  return {
    take: async (claim, signal) => {
      const grant = signal.aborted ? 'aborted' : await slotFor(claim, signal);
      if (typeof grant === 'string') {
        return grant;
      }
      const held = { grant, latencyClass: grant.latencyClass, since: now() };
      const endWatch = slowExchanges.watch(held);
      return {
        release: () => {
          endWatch();
          release(held);
        },
      };
    },
    giveUpWaiting: waitingByWebhook.giveUp,
    loadBefore: (claim) => {
      const name = latencyClassOf(claim.webhookId);
      const { webhook, latencyClass } = scheduler.loadBefore(claim, name);
      return { webhook, latencyClass: { ...latencyClass, name, meanHoldMs: holdTimes.meanMs(name) } };
    },
  };
}

/**
 * The waiting attempts by the abort signal of their partition. Each signal has one listener for thousands of attempts.
 */
function createWaitingBySignal() {
  const bySignal = new WeakMap<AbortSignal, Set<Waiting>>();

  const waitingOf = (signal: AbortSignal): Set<Waiting> => {
    const known = bySignal.get(signal);
    if (known !== undefined) {
      return known;
    }
    const waiting = new Set<Waiting>();
    bySignal.set(signal, waiting);
    signal.addEventListener('abort', () => waiting.forEach(({ giveUp }) => giveUp('aborted')), {
      once: true,
    });
    return waiting;
  };

  return {
    add: (signal: AbortSignal, waiting: Waiting) => void waitingOf(signal).add(waiting),
    remove: (signal: AbortSignal, waiting: Waiting) => void waitingOf(signal).delete(waiting),
  };
}

/** The waiting attempts by webhook, in the order in which they have joined, except released ones. */
function createWaitingByWebhook() {
  const byWebhook = new Map<string, Set<Waiting>>();
  return {
    add: ({ webhookId, origin }: Claim, waiting: Waiting) => {
      if (origin !== 'release') {
        byWebhook.set(webhookId, (byWebhook.get(webhookId) ?? new Set()).add(waiting));
      }
    },
    remove: ({ webhookId }: Claim, waiting: Waiting) => {
      const ofWebhook = byWebhook.get(webhookId);
      if (ofWebhook?.delete(waiting) === true && ofWebhook.size === 0) {
        byWebhook.delete(webhookId);
      }
    },
    giveUp: (webhookId: string): boolean => {
      const ofWebhook = [...(byWebhook.get(webhookId) ?? [])];
      ofWebhook.forEach(({ giveUp }) => giveUp('late'));
      return ofWebhook.length > 0;
    },
  };
}

/**
 * A watch that moves exchanges which have become slow from the slots of their class to the places for slow exchanges.
 */
export interface SlowExchangeWatch<Grant> {
  /**
   * Moves an exchange when it becomes slow and a place is free.
   * @returns a function that ends the watch, to be called when the exchange has ended
   */
  readonly watch: (grant: Grant) => () => void;
  /** Moves slow exchanges of a class that still have a slot, while places for slow exchanges are free. */
  readonly retry: (latencyClass: LatencyClass) => void;
}

export interface SlowExchangeWatchDependencies<Grant> {
  /** @returns whether the exchange was moved */
  readonly moveToSlow: (grant: Grant) => boolean;
  /** Called for each exchange that has left its slot. */
  readonly onMoved: (grant: Grant) => void;
}

function createSlowExchangeWatch<Grant extends { readonly latencyClass: LatencyClass }>({
  moveToSlow,
  onMoved,
}: SlowExchangeWatchDependencies<Grant>): SlowExchangeWatch<Grant> {
  const slowInSlots: Readonly<Record<LatencyClass, LinkedQueue<Grant>>> = {
    fast: createLinkedQueue(),
    unknown: createLinkedQueue(),
    slow: createLinkedQueue(),
  };

  const retry = (latencyClass: LatencyClass) => {
    const queue = slowInSlots[latencyClass];
    for (let node = queue.first; node !== null && moveToSlow(node.item); node = queue.first) {
      removeFrom(queue, node);
      onMoved(node.item);
    }
  };

  return {
    retry,
    watch: (grant) => {
      const queue = slowInSlots[grant.latencyClass];
      let leave = () => clearTimeout(timer);
      const timer = setTimeout(() => {
        const node = enqueue(queue, grant);
        leave = () => removeFrom(queue, node);
        retry(grant.latencyClass);
      }, slowExchangeMs).unref();
      return () => leave();
    },
  };
}
