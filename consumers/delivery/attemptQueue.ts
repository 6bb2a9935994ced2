import { createFairShares, type Line, type ShareSettings, type WebhookLoad } from './fairShares.js';

/** Whose attempt it is. */
export interface AttemptOwner {
  readonly accountId: string;
  readonly webhookId: string;
  /** Set on those of a replay: their turn comes when no other attempt waits for the webhook. */
  readonly replayId?: string | null;
}

export interface AttemptQueue {
  /**
   * Runs an attempt when it is its turn, and gives what it gives. Null, with nothing begun, where the signal comes before
   * that. What the attempt throws is thrown.
   */
  readonly run: <Result>(
    owner: AttemptOwner,
    signal: AbortSignal,
    attempt: () => Promise<Result>,
  ) => Promise<Result | null>;
  /** What is before one that comes now. */
  readonly loadBefore: (owner: AttemptOwner) => WebhookLoad;
}

/** A pair in its webhook's line. */
interface Waiting {
  /** Ends the wait with a slot. */
  readonly begin: () => void;
  /** Ends the wait without one. */
  readonly abandon: () => void;
}

/**
 * Shares the attempts that this process has in flight among those that wait.
 *
 * ```
 *              ┌─ account A ─┬─ webhook 1: ▢▢▢▢▢▢     one pair of each account in turn,
 *   a slot ──► │             └─ webhook 2: ▢           and of that account's webhooks in turn
 *   is free    └─ account B ─── webhook 3: ▢▢
 * ```
 * What is replayed waits in its webhook's line behind all else. A webhook with all of its slots taken is passed over. So that those who hang cannot take all that there is, nobody gets the
 * last of it: an account never takes more than it leaves free, nor one of its webhooks more than the account could still take.
 * However many hang, the next one finds a slot.
 */
export function createAttemptQueue(settings: ShareSettings): AttemptQueue {
  const shares = createFairShares<Waiting>(settings);
  // One listener for each signal: thousands of pairs wait under the one of their partition.
  const waitingUnder = new WeakMap<AbortSignal, Set<Waiting>>();

  const serve = () => {
    for (let next = shares.next(); next !== null; next = shares.next()) {
      next.begin();
    }
  };

  const companyOf = (signal: AbortSignal): Set<Waiting> => {
    const known = waitingUnder.get(signal);
    if (known !== undefined) {
      return known;
    }
    const company = new Set<Waiting>();
    waitingUnder.set(signal, company);
    const abandonAll = () => company.forEach(({ abandon }) => abandon());
    signal.addEventListener('abort', abandonAll, { once: true });
    return company;
  };

  /** The line with a slot taken in it; null where the signal came first. */
  const slotFor = (owner: AttemptOwner, signal: AbortSignal) =>
    new Promise<Line<Waiting> | null>((resolve) => {
      const company = companyOf(signal);
      const leaveCompany = (result: Line<Waiting> | null) => {
        company.delete(waiting);
        resolve(result);
      };
      const waiting: Waiting = {
        begin: () => leaveCompany(line),
        abandon: () => {
          shares.leave(line, waiting);
          leaveCompany(null);
        },
      };
      company.add(waiting);
      const line = shares.join(owner.accountId, owner.webhookId, waiting, yieldsToOthers(owner));
      serve();
    });

  return {
    run: async (owner, signal, attempt) => {
      const line = signal.aborted ? null : await slotFor(owner, signal);
      if (line === null) {
        return null;
      }
      try {
        return await attempt();
      } finally {
        shares.release(line);
        serve();
      }
    },
    loadBefore: (owner) => shares.loadOf(owner.webhookId, yieldsToOthers(owner)),
  };
}

function yieldsToOthers({ replayId = null }: AttemptOwner): boolean {
  return replayId !== null;
}
