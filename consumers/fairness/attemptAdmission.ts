import type { AttemptOrigin, AttemptOwner } from '../latency/attemptClasses.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { AttemptSlots, SlotLoad } from './attemptSlots.js';
import type { BusyClass, Deferral, Deferrals } from './deferrals.js';
import type { Claim } from './webhookQueue.js';

/** The properties of an attempt that asks for a slot. */
export interface AdmissionRequest {
  /**
   * Whether the attempt is the first of its cycle that the log knows of. Any other attempt comes from a retry topic and
   * can return to that topic.
   */
  readonly isFirst: boolean;
  /** Whether the account has more than its share of a window that other accounts need. */
  readonly isOverShare: boolean;
}

export type AdmissionResult<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  /** The webhook or its latency class is busy. The attempt did not begin, and the caller must schedule it for later. */
  | ({ readonly kind: 'deferred' } & Deferral);

/** Decides which attempt begins next, and which attempts are deferred. */
export interface AttemptAdmission {
  /** Runs an attempt when it gets a slot. The result is null if the signal was aborted before the attempt began. */
  readonly admit: <Result>(
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
 * The longest expected wait for a slot. An attempt that would wait longer is deferred to the log. The limit equals the
 * shortest deferral, so that a webhook does not run out of attempts before its deferred attempts return.
 */
const longestWaitMs = 5_000;

export function createAttemptAdmission(dependencies: AdmissionDependencies): AttemptAdmission {
  const { slots, tracker, deferrals, webhookConcurrency } = dependencies;

  /**
   * Whether an attempt would wait too long for its webhook. By Little's law the wait is the number of waiting attempts
   * divided by the rate at which attempts end. The rate follows from the current number of attempts in flight, so the
   * estimate is right no matter what limits the attempts.
   */
  const isWebhookTooBusy = ({ webhook: { waiting, inFlight } }: SlotLoad, webhookId: string): boolean => {
    const hasFreeSlot = waiting === 0 && inFlight < webhookConcurrency;
    const meanMs = tracker.meanExchangeMs(webhookId);
    return !hasFreeSlot && waitMs(waiting, meanMs, inFlight) > longestWaitMs;
  };

  /** Whether an attempt would wait too long for its latency class. It is next if no other attempt waits. */
  const isClassTooBusy = ({ latencyClass: { waiting, inFlight, meanHoldMs } }: SlotLoad): boolean =>
    waiting > 0 && waitMs(waiting, meanHoldMs, inFlight) > longestWaitMs;

  /** @param busyClass null if the class is not busy */
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
      // The backlog of a webhook waits until the webhook's latency is known, because a new process knows no latencies.
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

/** The result of an attempt whose signal was aborted before the attempt had a slot. */
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
