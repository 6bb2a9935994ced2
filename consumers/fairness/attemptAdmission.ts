import { setImmediate as endOfTurn } from 'node:timers/promises';

import { probes, type AttemptOrigin, type AttemptOwner } from '../latency/attemptClasses.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { AttemptSlots, Slot, SlotLoad } from './attemptSlots.js';
import { noTenant } from './fairQueue.js';
import type { Claim } from './webhookQueue.js';

/** The properties of an attempt that asks for a slot. */
export interface AdmissionRequest {
  /** Whether the attempt is the first one of its cycle, and neither scheduled nor parked. */
  readonly isFirst: boolean;
  /** Whether the attempt is released from a backlog. The loading of released attempts is bounded, so each may wait. */
  readonly isRelease?: boolean;
  /** Whether the account has more than its share of a window that other accounts need. */
  readonly isOverShare: boolean;
}

/** Decides which attempt begins next, and which attempts must be parked. */
export interface AttemptAdmission {
  /**
   * Waits for a slot, which the caller must release.
   * @returns `busy` if the webhook or its latency class is busy, so that the caller must park the attempt; `aborted` if
   * the signal was aborted before
   */
  readonly admit: (
    owner: AttemptOwner,
    request: AdmissionRequest,
    signal: AbortSignal,
  ) => Promise<Slot | 'busy' | 'aborted'>;
}

export interface AdmissionDependencies {
  readonly slots: AttemptSlots;
  readonly tracker: Pick<LatencyTracker, 'answers' | 'hangs' | 'meanExchangeMs' | 'untilKnown'>;
  readonly webhookConcurrency: number;
}

/** The longest expected wait for a slot. An attempt that would wait longer is parked. */
const longestWaitMs = 5_000;

export function createAttemptAdmission(dependencies: AdmissionDependencies): AttemptAdmission {
  const { slots, tracker, webhookConcurrency } = dependencies;

  /**
   * Whether an attempt would wait too long for its webhook. By Little's law the wait is the number of waiting attempts
   * divided by the rate at which attempts end. The rate follows from the current number of attempts in flight, so the
   * estimate is right no matter what limits the attempts. If the webhook hangs, no rate is known, and it gets few
   * attempts at a time.
   */
  const isWebhookTooBusy = ({ webhook: { waiting, inFlight } }: SlotLoad, webhookId: string): boolean => {
    const isHanging = tracker.hangs(webhookId);
    const limit = isHanging ? Math.min(probes, webhookConcurrency) : webhookConcurrency;
    if (waiting === 0 && inFlight < limit) {
      return false;
    }
    return isHanging || waitMs(waiting, tracker.meanExchangeMs(webhookId), inFlight) > longestWaitMs;
  };

  /**
   * Whether an attempt would wait too long for its latency class. It is next if no other attempt waits. An attempt of a
   * webhook that answers waits for its turn, because it would otherwise be delayed by webhooks that do not answer. Its
   * account's places and the window of its partition limit how many such attempts wait.
   */
  const isClassTooBusy = ({ latencyClass }: SlotLoad, webhookId: string): boolean => {
    const { waiting, inFlight, meanHoldMs } = latencyClass;
    return (
      waiting > 0 && !tracker.answers(webhookId) && waitMs(waiting, meanHoldMs, inFlight) > longestWaitMs
    );
  };

  const isTooBusy = (claim: Claim): boolean => {
    const load = slots.loadBefore(claim);
    return isClassTooBusy(load, claim.webhookId) || isWebhookTooBusy(load, claim.webhookId);
  };

  /** A new process knows no latencies, so the attempt waits until the webhook's latency is known. */
  const staysTooBusy = async (claim: Claim): Promise<boolean> => {
    await tracker.untilKnown(claim.webhookId);
    return isTooBusy(claim);
  };

  /** If the webhook has begun to hang, the older attempts that wait for it are parked first. */
  const busyAfterOlder = async ({ webhookId }: Claim) => {
    if (tracker.hangs(webhookId) && slots.giveUpWaiting(webhookId)) {
      await endOfTurn();
    }
    return 'busy' as const;
  };

  /** Nothing may come between the look at the load and the wait for a slot, which is part of the load of others. */
  const admit = async (claim: Claim, request: AdmissionRequest, signal: AbortSignal) => {
    const { isOverShare, isRelease = false } = request;
    if (isOverShare || (!isRelease && isTooBusy(claim) && (await staysTooBusy(claim)))) {
      return busyAfterOlder(claim);
    }
    const slot = await slots.take(claim, signal);
    return slot === 'late' ? 'busy' : slot;
  };

  return {
    admit: async (owner, request, signal) =>
      signal.aborted ? 'aborted' : admit(claimOf(owner, request), request, signal),
  };
}

function claimOf(owner: AttemptOwner, request: AdmissionRequest): Claim {
  const { accountId, webhookId, tenancy } = owner;
  return { accountId, tenant: tenancy ?? noTenant, webhookId, origin: originOf(owner, request) };
}

function originOf(
  { replayId = null, trigger }: AttemptOwner,
  { isFirst, isRelease = false }: AdmissionRequest,
): AttemptOrigin {
  if (replayId !== null) {
    return 'replay';
  }
  if (isRelease || trigger === 'test') {
    return 'release';
  }
  return isFirst ? 'first' : 'retry';
}

function waitMs(waiting: number, meanMs: number, inFlight: number): number {
  return ((waiting + 1) * meanMs) / Math.max(1, inFlight);
}
