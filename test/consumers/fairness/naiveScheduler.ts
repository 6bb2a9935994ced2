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
 * The rules of the scheduler, each with a search over all waiting items. Turns are numbers that accounts, tenants and webhooks get when
 * they begin to wait, and when their number of slots or attempts in flight changes.
 */
export function createNaiveScheduler({ webhookConcurrency, slots }: SchedulerSettings) {
  const classOf = new Map<string, LatencyClass>();
  const lastServed = new Map<LatencyClass, number>();
  const begun: number[] = [];
  let turns = new Map<string, { readonly count: number; readonly turn: number }>();
  let waiting: readonly Attempt[] = [];
  let inFlight: readonly Running[] = [];
  let latestTurn = 0;
  let joined = 0;

  const latencyClassOf = ({ claim }: Attempt) => classOf.get(claim.webhookId) ?? 'unknown';
  const loadOf = (webhookId: string) => inFlight.filter(({ claim }) => claim.webhookId === webhookId).length;
  const heldIn = (latencyClass: LatencyClass) =>
    inFlight.filter((one) => one.latencyClass === latencyClass && !one.isSlow);
  const heldByAccount = (latencyClass: LatencyClass, { accountId, origin }: Claim) =>
    heldIn(latencyClass).filter(({ claim }) => claim.accountId === accountId && claim.origin === origin);
  const heldByTenant = (latencyClass: LatencyClass, claim: Claim) =>
    heldByAccount(latencyClass, claim).filter((one) => one.claim.tenant === claim.tenant);

  const freeFor = (latencyClass: LatencyClass, origin: AttemptOrigin) => {
    const { slots: all } = slots[latencyClass];
    const reserved = Math.floor(all / 8);
    const held = heldIn(latencyClass);
    // Releases and retries share their reserved slots.
    const shareOf = (other: AttemptOrigin) => (other === 'release' ? 'retry' : other);
    const heldFrom = (other: AttemptOrigin) =>
      held.filter(({ claim }) => shareOf(claim.origin) === other).length;
    const forOthers = attemptOrigins
      .filter((other) => other !== 'release' && other !== shareOf(origin))
      .reduce((sum, other) => sum + Math.max(0, reserved - heldFrom(other)), 0);
    return all - held.length - forOthers;
  };

  const isReady = ({ claim: { webhookId, origin } }: Attempt) =>
    loadOf(webhookId) < webhookConcurrency &&
    !waiting.some(
      ({ claim }) => claim.webhookId === webhookId && turnOfOrigin(claim.origin) < turnOfOrigin(origin),
    );

  /** The names of the items of a waiting attempt in the queue of its class and origin, and the numbers that order them. */
  const levelsOf = (one: Attempt) => {
    const { claim } = one;
    const latencyClass = latencyClassOf(one);
    const account = `${latencyClass}/${claim.origin}/${claim.accountId}`;
    return [
      { name: account, count: heldByAccount(latencyClass, claim).length },
      { name: `${account}/${claim.tenant}`, count: heldByTenant(latencyClass, claim).length },
      { name: `${account}/${claim.tenant}/${claim.webhookId}`, count: loadOf(claim.webhookId) },
    ];
  };

  /** Gives turns to the items that have just begun to wait, or whose number has changed. Each operation changes one of each level. */
  const noteTurns = () => {
    latestTurn += 1;
    const levels = waiting.filter(isReady).flatMap(levelsOf);
    turns = new Map(
      levels.map(({ name, count }) => {
        const known = turns.get(name);
        return [name, known?.count === count ? known : { count, turn: latestTurn }];
      }),
    );
  };

  /** The numbers and the turns that order a waiting attempt, the most important first. */
  const orderOf = (one: Attempt) => [
    ...levelsOf(one).flatMap(({ name, count }) => [count, turns.get(name)?.turn ?? 0]),
    one.item,
  ];

  const firstOf = (attempts: readonly Attempt[]): Attempt | undefined =>
    attempts
      .map((attempt) => ({ attempt, order: orderOf(attempt) }))
      .toSorted((one, other) =>
        one.order.reduce((found, value, index) => found || value - (other.order[index] ?? 0), 0),
      )[0]?.attempt;

  const mayTake = (latencyClass: LatencyClass, { claim }: Attempt, free: number): boolean => {
    const ofAccount = heldByAccount(latencyClass, claim).length;
    const ofTenant = heldByTenant(latencyClass, claim).length;
    const hasTenant = claim.tenant !== '';
    return latencyClass === 'fast'
      ? free > 0 && (!hasTenant || ofTenant < free)
      : ofAccount < free && (!hasTenant || ofTenant < free - ofAccount);
  };

  const nextOf = (latencyClass: LatencyClass): Attempt | null => {
    const last = lastServed.get(latencyClass) ?? attemptOrigins.length - 1;
    const order = attemptOrigins.map((_, step) => attemptOrigins[(last + 1 + step) % attemptOrigins.length]);
    for (const origin of order) {
      const free = origin === undefined ? 0 : freeFor(latencyClass, origin);
      const next = firstOf(
        waiting
          .filter((one) => latencyClassOf(one) === latencyClass && one.claim.origin === origin)
          .filter((one) => mayTake(latencyClass, one, free) && isReady(one)),
      );
      if (next !== undefined) {
        return next;
      }
    }
    return null;
  };

  const begin = (next: Attempt) => {
    const latencyClass = latencyClassOf(next);
    const { claim } = next;
    lastServed.set(latencyClass, attemptOrigins.indexOf(claim.origin));
    waiting = waiting.filter(({ item }) => item !== next.item);
    inFlight = [...inFlight, { ...next, latencyClass, isSlow: false }];
    begun.push(next.item);
    noteTurns();
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
    noteTurns();
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
        noteTurns();
      }
      serve();
    },
    leave: (item: number) => {
      waiting = waiting.filter((one) => one.item !== item);
      noteTurns();
      serve();
    },
    release: (item: number) => {
      inFlight = inFlight.filter((one) => one.item !== item);
      noteTurns();
      serve();
    },
    moveToSlow: (item: number) => {
      const grant = inFlight.find((one) => one.item === item);
      const places = grant === undefined ? 0 : slots[grant.latencyClass].slowExchanges;
      const taken = inFlight.filter((one) => one.isSlow && one.latencyClass === grant?.latencyClass).length;
      if (grant !== undefined && taken < places) {
        grant.isSlow = true;
      }
      noteTurns();
      serve();
    },
  };
}

/** Releases of a webhook are first, and its replays are last. */
function turnOfOrigin(origin: AttemptOrigin): number {
  return ['release', 'first/retry', 'replay'].findIndex((origins) => origins.includes(origin));
}
