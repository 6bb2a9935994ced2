import type { AttemptOrigin, AttemptOwner } from '../latency/attemptClasses.js';
import type { AttemptSlots, SlotLoad } from './attemptSlots.js';
import type { BusyClass, Deferral, Deferrals } from './deferrals.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { Claim } from './webhookQueue.js';

/** How an attempt comes to wait for a slot. */
export interface AdmissionRequest {
  /** Whether it is the first attempt of its cycle that the log knows of. Others come from a retry topic and can return to it. */
  readonly isFirst: boolean;
  /** Whether its account has more than half of a window that others need too. */
  readonly isOverShare: boolean;
}

/** What became of an attempt. */
export type AdmissionResult<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  /** Its webhook or class is busy: nothing was begun, and the attempt is to return later. */
  | ({ readonly kind: 'deferred' } & Deferral);

/** Decides which attempt begins next, and which attempts are deferred. */
export interface AttemptAdmission {
  /** The result is null if the signal came before the attempt had a slot. */
  admit: <Result>(
    owner: AttemptOwner,
    request: AdmissionRequest,
    signal: AbortSignal,
    attempt: () => Promise<Result>,
  ) => Promise<AdmissionResult<Result | null>>;
}

export interface AdmissionDependencies {
  readonly slots: AttemptSlots;
  readonly tracker: Pick<LatencyTracker, 'meanExchangeMs' | 'untilKnown'>;
  readonly deferrals: Deferrals;
  readonly webhookConcurrency: number;
}

/**
 * What an attempt is expected to wait in memory at most: beyond it the log is the better place. It is as long as the shortest
 * deferral, so that a webhook has something to do until more returns.
 */
const longestWaitMs = 5_000;

export function createAttemptAdmission(dependencies: AdmissionDependencies): AttemptAdmission {
  const { slots, tracker, deferrals, webhookConcurrency } = dependencies;

  /**
   * How long the next attempt of a webhook waits for its own webhook, by Little's law: the attempts before it, by the rate at which they
   * end. With as many in flight as there are now, that is also right if it is not the webhook that sets the limit.
   */
  const isWebhookTooBusy = ({ webhook: { waiting, inFlight } }: SlotLoad, webhookId: string): boolean => {
    const hasFreeSlot = waiting === 0 && inFlight < webhookConcurrency;
    const meanMs = tracker.meanExchangeMs(webhookId);
    return !hasFreeSlot && waitMs(waiting, meanMs, inFlight) > longestWaitMs;
  };

  /** The same for its class. An attempt that finds nobody waiting is next. */
  const isClassTooBusy = ({ latencyClass: { waiting, inFlight, meanHoldMs } }: SlotLoad): boolean =>
    waiting > 0 && waitMs(waiting, meanHoldMs, inFlight) > longestWaitMs;

  /** @param busyClass null if the class is not what the attempt would wait for */
  const defer = (owner: AttemptOwner, isReturn: boolean, busyClass: BusyClass | null) =>
    ({ kind: 'deferred', ...deferrals.defer(owner, isReturn, busyClass) }) as const;

  const isTooBusy = (claim: Claim): boolean => {
    const load = slots.loadBefore(claim);
    return isClassTooBusy(load) || isWebhookTooBusy(load, claim.webhookId);
  };

  /** Defers an attempt that would wait too long, or runs it when it gets a slot. */
  const enter = async <Result>(entry: Entry<Result>): Promise<AdmissionResult<Result | null>> => {
    const { owner, claim, isFirst, isOverShare, signal, attempt } = entry;
    const isReturn = !isFirst;
    const load = slots.loadBefore(claim);
    if (isClassTooBusy(load)) {
      return defer(owner, isReturn, busyClassOf(load));
    }
    if (isOverShare || isWebhookTooBusy(load, owner.webhookId)) {
      return defer(owner, isReturn, null);
    }
    const result = await slots.run(claim, signal, attempt);
    if (result.kind === 'late') {
      return defer(owner, isReturn, busyClassOf(slots.loadBefore(claim)));
    }
    return result.kind === 'ran' ? result : notBegun;
  };

  return {
    admit: async (owner, request, signal, attempt) => {
      const { accountId, webhookId } = owner;
      const claim = { accountId, webhookId, origin: originOf(owner, !request.isFirst) };
      // A process that has just started knows nothing of its webhooks: what a backlog has for one of them waits until it does.
      if (!signal.aborted && !request.isOverShare && isTooBusy(claim)) {
        await tracker.untilKnown(webhookId);
      }
      return signal.aborted
        ? notBegun
        : enter({
            owner,
            claim,
            isFirst: request.isFirst,
            isOverShare: request.isOverShare,
            signal,
            attempt,
          });
    },
  };
}

/** The result of an attempt whose signal came before it had a slot. */
const notBegun = { kind: 'ran', result: null } as const;

interface Entry<Result> extends AdmissionRequest {
  readonly owner: AttemptOwner;
  readonly claim: Claim;
  readonly signal: AbortSignal;
  readonly attempt: () => Promise<Result>;
}

function originOf({ replayId = null }: AttemptOwner, isReturn: boolean): AttemptOrigin {
  if (replayId !== null) {
    return 'replay';
  }
  return isReturn ? 'retry' : 'first';
}

function busyClassOf({ latencyClass: { name, inFlight, meanHoldMs } }: SlotLoad): BusyClass {
  return { name, intervalMs: meanHoldMs / Math.max(1, inFlight) };
}

function waitMs(waiting: number, meanMs: number, inFlight: number): number {
  return ((waiting + 1) * meanMs) / Math.max(1, inFlight);
}
