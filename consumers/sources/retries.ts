import { setTimeout as pause } from 'node:timers/promises';

import type { KeyedSemaphore } from '../../shared/concurrency/keyedSemaphore.js';
import type { Clock } from '../../shared/core/clock.js';
import { tierFor } from '../../shared/domain/deliveries/schedule.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeRetry, type RetryRecord } from '../../shared/log/records/retry.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/retryingHandler.js';
import { attemptKey, type Park } from '../engine/deliveryJob.js';
import type { InFlightRegistry } from '../engine/inFlightRegistry.js';
import type { OutcomeLog } from '../engine/outcomeLog.js';
import type { ResumeDelivery } from '../engine/resumeDelivery.js';
import type { WindowShare } from '../fairness/windowShare.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import { outcomesBelow, passed, type Awaited, type EventStates } from '../lookups/eventStates.js';
import type { DueRetries } from './retryReport.js';

export interface HandleRetryDependencies {
  readonly assignments: Assignments;
  readonly states: EventStates;
  /** The shares of webhooks, and of tenants with all their webhooks, in the windows of the tiers. */
  readonly webhookShare: Pick<WindowShare, 'during'>;
  readonly tenantShare: Pick<WindowShare, 'during'>;
  readonly webhookSemaphore: Pick<KeyedSemaphore, 'run'>;
  readonly park: Park;
  readonly inFlight: Pick<InFlightRegistry, 'run'>;
  readonly resumeDelivery: ResumeDelivery;
  readonly log: OutcomeLog;
  readonly deadLetters: DeadLetters;
  readonly dueRetries: DueRetries;
  readonly clock: Clock;
}

/**
 * Handles a retry record after the delay of its tier.
 *
 * ```
 *   released ──┬─ more than a second remains ──► appended to a shorter tier ──► done
 *              ├─ webhook or tenant over its share of the window, record new ──► parked ──► done
 *              └─ waits until it is due ──► event looked up ──► attempted, scheduled again, or dropped ──► done
 * ```
 */
export function createHandleRetry(dependencies: HandleRetryDependencies): HandleRecord {
  const { log, deadLetters, dueRetries, clock } = dependencies;
  return async (record, signal) => {
    const decoded = decodeRetry(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const retryRecord = decoded.content;
    const remainingMs = retryRecord.due.getTime() - clock().getTime();
    if (tierFor(remainingMs) !== null) {
      await log.schedule(retryRecord);
      return 'done';
    }
    return duringShares(dependencies, { retryRecord, record }, (isOverShare) =>
      dueRetries.during(record.topic, retryRecord.due, async () =>
        isOverShare && (await mayBeParked(dependencies, record, signal))
          ? parkUnseen(dependencies, retryRecord, signal)
          : attemptWhenDue(dependencies, { retryRecord, record }, signal),
      ),
    );
  };
}

/** Counts a retry record in the shares of its webhook and its tenant during the work. Most records have no tenant. */
function duringShares(
  { webhookShare, tenantShare }: Pick<HandleRetryDependencies, 'webhookShare' | 'tenantShare'>,
  { retryRecord: { accountId, webhookId, tenancy = null }, record }: RetrySource,
  work: (isOverShare: boolean) => Promise<WorkResult>,
): Promise<WorkResult> {
  return webhookShare.during(record, webhookId, (isWebhookOver) =>
    tenancy === null
      ? work(isWebhookOver)
      : tenantShare.during(record, `${accountId}/${tenancy}`, (isTenantOver) =>
          work(isWebhookOver || isTenantOver),
        ),
  );
}

/**
 * Whether a retry record may be parked without a look-up of its event. A retry record from before the assignment needs
 * the look-up. After a crash the log may contain the outcome of the retry without the next retry record.
 */
async function mayBeParked(
  { assignments }: HandleRetryDependencies,
  record: RawRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const assignment = await assignments.of(record, signal);
  return !assignment.predatesAssignment(record) && !signal.aborted;
}

/**
 * Parks a retry without a look-up of its event. The fold ignores the parking of a delivery that has ended. The retry is
 * not parked while its attempt is in flight: the outcome of the attempt would end the parking at once.
 */
function parkUnseen(
  { park, inFlight }: HandleRetryDependencies,
  { due: _due, ...job }: RetryRecord,
  signal: AbortSignal,
): Promise<WorkResult> {
  const origin = { isFirst: false, isOverShare: true, content: () => Promise.resolve(null) };
  return inFlight.run(attemptKey(job), () => park(job, origin), signal);
}

interface RetrySource {
  readonly retryRecord: RetryRecord;
  readonly record: RawRecord;
}

async function attemptWhenDue(
  dependencies: HandleRetryDependencies,
  source: RetrySource,
  signal: AbortSignal,
): Promise<WorkResult> {
  const isDue = await untilDue(source.retryRecord.due, dependencies.clock, signal);
  return isDue
    ? dependencies.webhookSemaphore.run(source.retryRecord.webhookId, () =>
        attemptDue(dependencies, source, signal),
      )
    : 'abandoned';
}

/**
 * Waits until a retry is due.
 * @returns false if the partition was lost meanwhile
 */
async function untilDue(due: Date, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const remainingMs = () => due.getTime() - clock().getTime();
  // The wait is a loop, because a timer may fire a millisecond early.
  for (let waitMs = remainingMs(); waitMs > 0; waitMs = remainingMs()) {
    await pause(waitMs);
  }
  return !signal.aborted;
}

async function attemptDue(
  { assignments, states, resumeDelivery }: HandleRetryDependencies,
  { retryRecord, record }: RetrySource,
  signal: AbortSignal,
) {
  const assignment = await assignments.of(record, signal);
  const predatesAssignment = assignment.predatesAssignment(record);
  const awaited: readonly Awaited[] = [
    ...passed('events', retryRecord.positions.event),
    ...passed('deliveries', retryRecord.positions.outcome),
    // The previous owner of the partition may have appended later outcomes than the one that this retry record refers
    // to. A retry record without an outcome position was rescheduled from the read model, and any process may have
    // appended outcomes since.
    ...(predatesAssignment
      ? [outcomesBelow(await assignment.deliveriesAfterHandOver(), [record.partition])]
      : retryRecord.positions.outcome === null
        ? [outcomesBelow(assignment.deliveries, [record.partition])]
        : []),
  ];
  const state = await states.of(retryRecord.eventId, awaited, signal);
  if (state === null) {
    return 'abandoned';
  }
  const { number, attemptsMade, trigger, due, ...identity } = retryRecord;
  const source = {
    record: 'retry',
    cycle: retryRecord.cycle,
    number,
    attemptsMade,
    trigger,
    predatesAssignment,
  } as const;
  return resumeDelivery({ identity, source, isOverShare: false, state }, signal);
}
