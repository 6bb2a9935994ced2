import type { LatencyClass } from '../latency/attemptClasses.js';
import { createFairScheduler, type Grant, type Load, type SchedulerSettings } from './fairScheduler.js';
import { createSlotHoldTimes } from '../latency/slotHoldTimes.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import { createLingering } from './lingering.js';
import { createProcessTime, type Moment, type ProcessClocks } from '../latency/processTime.js';
import type { Claim } from './webhookQueue.js';

/** Why an attempt did not begin: its partition was lost, or its wait for a slot has exceeded the limit. */
export type NoSlot = 'aborted' | 'late';

export type SlotResult<Result> =
  { readonly kind: 'ran'; readonly result: Result } | { readonly kind: NoSlot };

/** What is before an attempt that would wait for a slot now. */
export interface SlotLoad extends Load {
  readonly latencyClass: Load['latencyClass'] & {
    readonly name: LatencyClass;
    /** How long an attempt of the class has its slot, in the mean. */
    readonly meanHoldMs: number;
  };
}

/** The slots of this process for attempts. */
export interface AttemptSlots {
  /** Runs an attempt when it gets a slot. What the attempt throws is thrown. */
  readonly run: <Result>(
    claim: Claim,
    signal: AbortSignal,
    attempt: () => Promise<Result>,
  ) => Promise<SlotResult<Result>>;
  readonly loadBefore: (claim: Claim) => SlotLoad;
}

export interface SlotDependencies extends SchedulerSettings, ProcessClocks {
  readonly tracker: Pick<LatencyTracker, 'latencyClassOf' | 'onJudged'>;
}

/** An attempt that waits for a slot. */
interface Waiting {
  /** Ends the wait with a slot. */
  readonly begin: (grant: Grant<Waiting>) => void;
  /** Ends the wait without one. */
  readonly giveUp: (reason: NoSlot) => void;
}

/** A slot that an attempt has. */
interface HeldSlot {
  readonly grant: Grant<Waiting>;
  readonly latencyClass: LatencyClass;
  readonly since: Moment;
}

/** The most that an attempt waits in memory, three times what is expected at most. Then it is deferred like any that waits too long. */
const longestWaitMs = 15_000;
/**
 * When slow exchanges of formerly fast webhooks occupy half of their places, many webhooks have begun to hang at once. A webhook is then trusted with a
 * slot of the fast ones only if it has answered within this time.
 */
const provenWithinMs = 1_000;

/**
 * Runs attempts under the fair scheduler. An exchange that becomes slow gives its slot back and occupies a place for slow
 * exchanges instead. If there is none, it waits for one and retains its slot.
 */
export function createAttemptSlots({ tracker, ...settings }: SlotDependencies): AttemptSlots {
  const scheduler = createFairScheduler<Waiting>(settings);
  const ownTime = createProcessTime(settings);
  const holdTimes = createSlotHoldTimes(ownTime);
  const waitingUnder = createWaitingUnder();

  const latencyClassOf = (webhookId: string) =>
    tracker.latencyClassOf(webhookId, scheduler.isCrowdedByLingering('fast') ? provenWithinMs : Infinity);

  const serve = () => {
    for (let grant = scheduler.next(); grant !== null; grant = scheduler.next()) {
      holdTimes.began(grant.latencyClass);
      grant.item.begin(grant);
    }
  };

  const lingering = createLingering<HeldSlot>({
    linger: ({ grant }) => scheduler.linger(grant),
    onMoved: ({ latencyClass, since }) => {
      holdTimes.ended(latencyClass, since);
      serve();
    },
  });

  tracker.onJudged((webhookId) => {
    scheduler.reclassify(webhookId, latencyClassOf(webhookId));
    serve();
  });

  const slotFor = (claim: Claim, signal: AbortSignal) =>
    new Promise<Grant<Waiting> | NoSlot>((resolve) => {
      const end = (result: Grant<Waiting> | NoSlot) => {
        clearTimeout(timer);
        waitingUnder.remove(signal, waiting);
        resolve(result);
      };
      const waiting: Waiting = {
        begin: end,
        giveUp: (reason) => {
          scheduler.leave(ticket);
          end(reason);
        },
      };
      const timer = setTimeout(() => waiting.giveUp('late'), longestWaitMs);
      waitingUnder.add(signal, waiting);
      const latencyClass = latencyClassOf(claim.webhookId);
      scheduler.reclassify(claim.webhookId, latencyClass);
      const ticket = scheduler.join(claim, latencyClass, waiting);
      serve();
    });

  const release = (held: HeldSlot) => {
    const { grant, latencyClass, since } = held;
    if (!grant.isLingering) {
      holdTimes.ended(latencyClass, since);
    }
    scheduler.release(grant);
    lingering.retry(latencyClass);
    serve();
  };

  return {
    run: async (claim, signal, attempt) => {
      const grant = signal.aborted ? 'aborted' : await slotFor(claim, signal);
      if (typeof grant === 'string') {
        return { kind: grant };
      }
      const held = { grant, latencyClass: grant.latencyClass, since: ownTime.moment() };
      const endWatch = lingering.watch(held);
      try {
        return { kind: 'ran', result: await attempt() };
      } finally {
        endWatch();
        release(held);
      }
    },
    loadBefore: (claim) => {
      const name = latencyClassOf(claim.webhookId);
      const { webhook, latencyClass } = scheduler.loadBefore(claim, name);
      return { webhook, latencyClass: { ...latencyClass, name, meanHoldMs: holdTimes.meanMs(name) } };
    },
  };
}

/** The attempts that wait under each signal. Thousands wait under the one of their partition, which has one listener. */
function createWaitingUnder() {
  const bySignal = new WeakMap<AbortSignal, Set<Waiting>>();

  const waitingUnder = (signal: AbortSignal): Set<Waiting> => {
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
    add: (signal: AbortSignal, waiting: Waiting) => void waitingUnder(signal).add(waiting),
    remove: (signal: AbortSignal, waiting: Waiting) => void waitingUnder(signal).delete(waiting),
  };
}
