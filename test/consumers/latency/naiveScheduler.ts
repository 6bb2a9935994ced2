import type { SchedulerSettings } from '../../../consumers/fairness/fairScheduler.js';
import type { Claim } from '../../../consumers/fairness/webhookQueue.js';
import {
  attemptOrigins,
  latencyClasses,
  type AttemptOrigin,
  type LatencyClass,
} from '../../../consumers/latency/attemptClasses.js';

interface Attempt {
  readonly item: number;
  readonly claim: Claim;
}

interface Running extends Attempt {
  readonly latencyClass: LatencyClass;
  isSlow: boolean;
}

/**
 * The rules of the scheduler, each with a search over all waiting items. Turns are numbers that accounts and webhooks get when they begin
 * to wait and when they are served.
 */
export function createNaiveScheduler({ webhookConcurrency, slots }: SchedulerSettings) {
  const classOf = new Map<string, LatencyClass>();
  const turnOf = new Map<string, number>();
  const lastServed = new Map<LatencyClass, number>();
  const begun: number[] = [];
  let waiting: readonly Attempt[] = [];
  let inFlight: readonly Running[] = [];
  let queued = new Set<string>();
  let admission = 0;
  let joined = 0;

  const takeTurn = (name: string) => {
    admission += 1;
    turnOf.set(name, admission);
  };
  const latencyClassOf = ({ claim }: Attempt) => classOf.get(claim.webhookId) ?? 'unknown';
  const queueOf = (latencyClass: LatencyClass, origin: AttemptOrigin) => `${latencyClass}/${origin}`;
  const accountKey = (queue: string, { accountId }: Claim) => `${queue}/${accountId}`;
  const entryKey = ({ webhookId, origin }: Claim) => `${webhookId}/${origin}`;
  const loadOf = (webhookId: string) => inFlight.filter(({ claim }) => claim.webhookId === webhookId).length;
  const heldIn = (latencyClass: LatencyClass) =>
    inFlight.filter((one) => one.latencyClass === latencyClass && !one.isSlow);
  const heldBy = (latencyClass: LatencyClass, { accountId, origin }: Claim) =>
    heldIn(latencyClass).filter(({ claim }) => claim.accountId === accountId && claim.origin === origin)
      .length;

  const freeFor = (latencyClass: LatencyClass, origin: AttemptOrigin) => {
    const { slots: all } = slots[latencyClass];
    const reserved = Math.floor(all / 8);
    const held = heldIn(latencyClass);
    const heldFrom = (other: AttemptOrigin) => held.filter(({ claim }) => claim.origin === other).length;
    const forOthers = attemptOrigins
      .filter((other) => other !== origin)
      .reduce((sum, other) => sum + Math.max(0, reserved - heldFrom(other)), 0);
    return all - held.length - forOthers;
  };

  const isReady = ({ claim: { webhookId, origin } }: Attempt) =>
    loadOf(webhookId) < webhookConcurrency &&
    (origin !== 'replay' ||
      !waiting.some(({ claim }) => claim.webhookId === webhookId && claim.origin !== 'replay'));

  /** Gives turns to the accounts and webhooks that have just begun to wait, in the order of the scheduler. */
  const noteQueued = (webhookIds: Iterable<string>) => {
    const next = new Set(queued);
    const entries = [...webhookIds].flatMap((webhookId) =>
      attemptOrigins.map((origin) => ({ webhookId, origin })),
    );
    for (const { webhookId, origin } of entries) {
      const attempt = waiting.find(
        ({ claim }) =>
          claim.webhookId === webhookId && claim.origin === origin && isReady({ item: 0, claim }),
      );
      const key = `${webhookId}/${origin}`;
      if (attempt === undefined) {
        next.delete(key);
      } else {
        const queue = queueOf(latencyClassOf(attempt), origin);
        const account = accountKey(queue, attempt.claim);
        if (!turnOf.has(account)) {
          takeTurn(account);
        }
        if (!next.has(key)) {
          takeTurn(key);
        }
        next.add(key);
      }
    }
    queued = next;
    forgetIdleAccounts();
  };

  /** An account that neither waits in a queue nor has slots from it counts as new. */
  const forgetIdleAccounts = () => {
    const live = new Set([
      ...waiting
        .filter(isReady)
        .map((one) => accountKey(queueOf(latencyClassOf(one), one.claim.origin), one.claim)),
      ...inFlight
        .filter(({ isSlow }) => !isSlow)
        .map(({ latencyClass, claim }) => accountKey(queueOf(latencyClass, claim.origin), claim)),
    ]);
    for (const name of [...turnOf.keys()]) {
      if (latencyClasses.some((latencyClass) => name.startsWith(`${latencyClass}/`)) && !live.has(name)) {
        turnOf.delete(name);
      }
    }
  };

  const before = (latencyClass: LatencyClass, one: Attempt, other: Attempt): number => {
    const queue = queueOf(latencyClass, one.claim.origin);
    const turn = (name: string) => turnOf.get(name) ?? 0;
    return (
      heldBy(latencyClass, one.claim) - heldBy(latencyClass, other.claim) ||
      turn(accountKey(queue, one.claim)) - turn(accountKey(queue, other.claim)) ||
      loadOf(one.claim.webhookId) - loadOf(other.claim.webhookId) ||
      turn(entryKey(one.claim)) - turn(entryKey(other.claim)) ||
      one.item - other.item
    );
  };

  const nextOf = (latencyClass: LatencyClass): Attempt | null => {
    const last = lastServed.get(latencyClass) ?? attemptOrigins.length - 1;
    const order = attemptOrigins.map((_, step) => attemptOrigins[(last + 1 + step) % attemptOrigins.length]);
    for (const origin of order) {
      const [next] = waiting
        .filter((one) => latencyClassOf(one) === latencyClass && one.claim.origin === origin && isReady(one))
        .toSorted((one, other) => before(latencyClass, one, other));
      const free = origin === undefined ? 0 : freeFor(latencyClass, origin);
      if (
        next !== undefined &&
        free > 0 &&
        (latencyClass === 'fast' || heldBy(latencyClass, next.claim) < free)
      ) {
        return next;
      }
    }
    return null;
  };

  const begin = (next: Attempt) => {
    const latencyClass = latencyClassOf(next);
    const { claim } = next;
    admission += 1;
    turnOf.set(accountKey(queueOf(latencyClass, claim.origin), claim), admission);
    turnOf.set(entryKey(claim), admission);
    lastServed.set(latencyClass, attemptOrigins.indexOf(claim.origin));
    waiting = waiting.filter(({ item }) => item !== next.item);
    inFlight = [...inFlight, { ...next, latencyClass, isSlow: false }];
    begun.push(next.item);
    noteQueued([claim.webhookId]);
  };

  const serve = () => {
    const next = () => latencyClasses.map(nextOf).find((attempt) => attempt !== null) ?? null;
    for (let attempt = next(); attempt !== null; attempt = next()) {
      begin(attempt);
    }
  };

  const reclassify = (webhookId: string, latencyClass: LatencyClass) => {
    const isKnown = loadOf(webhookId) > 0 || waiting.some(({ claim }) => claim.webhookId === webhookId);
    if (!isKnown || classOf.get(webhookId) === latencyClass) {
      return;
    }
    classOf.set(webhookId, latencyClass);
    attemptOrigins.forEach((origin) => queued.delete(`${webhookId}/${origin}`));
    noteQueued([webhookId]);
  };

  return {
    begun,
    reclassify: (webhookId: string, latencyClass: LatencyClass) => {
      reclassify(webhookId, latencyClass);
      serve();
    },
    join: (claim: Claim, latencyClass: LatencyClass, count: number) => {
      reclassify(claim.webhookId, latencyClass);
      classOf.set(claim.webhookId, latencyClass);
      for (let index = 0; index < count; index += 1) {
        waiting = [...waiting, { item: joined, claim }];
        joined += 1;
        noteQueued([claim.webhookId]);
      }
      serve();
    },
    leave: (item: number) => {
      const left = waiting.filter((one) => one.item === item);
      waiting = waiting.filter((one) => one.item !== item);
      noteQueued(left.map(({ claim }) => claim.webhookId));
      serve();
    },
    release: (item: number) => {
      const ended = inFlight.filter((one) => one.item === item);
      inFlight = inFlight.filter((one) => one.item !== item);
      noteQueued(ended.map(({ claim }) => claim.webhookId));
      serve();
    },
    moveToSlow: (item: number) => {
      const grant = inFlight.find((one) => one.item === item);
      const places = grant === undefined ? 0 : slots[grant.latencyClass].slowExchanges;
      const taken = inFlight.filter((one) => one.isSlow && one.latencyClass === grant?.latencyClass).length;
      if (grant !== undefined && taken < places) {
        grant.isSlow = true;
      }
      forgetIdleAccounts();
      serve();
    },
  };
}
