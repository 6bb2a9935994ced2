import type { AttemptOwner, AttemptQueue } from './attemptQueue.js';
import type { Deferral, Deferrals } from './deferrals.js';
import type { WebhookPaces } from './webhookPaces.js';

/** How a pair comes to wait for its turn. */
export interface Approach {
  /** Whether it comes from a tier, where it can be put back, in place of being new. */
  readonly isReturn: boolean;
  /** Whether its account has more than half of a window that others need too. */
  readonly isCrowded: boolean;
}

/** What became of a pair's wait for its turn. */
export type Turn<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  /** The webhook is busy: nothing was begun, and the pair is to come back. */
  | ({ readonly kind: 'deferred' } & Deferral);

/** Decides which pair's attempt is begun next, and which pairs had better come back later. */
export interface AttemptTurns {
  /** Null is what an attempt gives that was given up because its signal came before its turn. */
  run: <Result>(
    owner: AttemptOwner,
    approach: Approach,
    signal: AbortSignal,
    attempt: () => Promise<Result>,
  ) => Promise<Turn<Result | null>>;
}

export interface TurnDependencies {
  readonly queue: AttemptQueue;
  readonly paces: Pick<WebhookPaces, 'meanExchangeMs' | 'untilKnown'>;
  readonly deferrals: Deferrals;
  readonly webhookConcurrency: number;
}

/**
 * What a pair waits in memory at most, as far as can be told: beyond it the log is the better place. It is as long as the shortest
 * deferral, so that a webhook has something to do until more comes back.
 */
const longestWaitMs = 5_000;

export function createAttemptTurns({
  queue,
  paces,
  deferrals,
  webhookConcurrency,
}: TurnDependencies): AttemptTurns {
  /**
   * How long the next pair of a webhook will wait, by Little's law: those before it, by the rate at which they end. With as many
   * in flight as there are now, that is also right where it is not the webhook that sets the limit, but this process.
   */
  const expectedWaitMs = (owner: AttemptOwner): number => {
    const { waiting, inFlight } = queue.loadBefore(owner);
    const hasFreeSlot = waiting === 0 && inFlight < webhookConcurrency;
    const meanMs = paces.meanExchangeMs(owner.webhookId);
    return hasFreeSlot ? 0 : ((waiting + 1) * meanMs) / Math.max(1, inFlight);
  };

  const isTooLong = (owner: AttemptOwner) => expectedWaitMs(owner) > longestWaitMs;

  return {
    run: async (owner, { isReturn, isCrowded }, signal, attempt) => {
      // A process that has just started knows nothing of its webhooks: what a backlog has for one of them waits until it does.
      if (!signal.aborted && !isCrowded && isTooLong(owner)) {
        await paces.untilKnown(owner.webhookId);
      }
      if (signal.aborted) {
        return { kind: 'ran', result: null };
      }
      if (isCrowded || isTooLong(owner)) {
        return { kind: 'deferred', ...deferrals.defer(owner, isReturn) };
      }
      return { kind: 'ran', result: await queue.run(owner, signal, attempt) };
    },
  };
}
