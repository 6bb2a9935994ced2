import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from '../../shared/core/clock.js';
import { tierFor } from '../../shared/domain/deliveries/tiers.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { KeyedSemaphore } from '../../shared/concurrency/keyedSemaphore.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeRetry, type RetryRecord } from '../../shared/log/records/retry.js';
import type { Assignments } from '../lookups/assignments.js';
import type { WindowShare } from '../fairness/windowShare.js';
import type { Deferrals } from '../fairness/deferrals.js';
import { outcomesBelow, passed, type Awaited, type EventStates } from '../lookups/eventStates.js';
import type { OutcomeLog } from '../engine/outcomeLog.js';
import type { ResumeDelivery } from '../engine/resumeDelivery.js';
import type { DueRetries } from './dueRetries.js';

export interface HandleRetryDependencies {
  readonly assignments: Assignments;
  readonly states: EventStates;
  readonly windowShare: Pick<WindowShare, 'during'>;
  readonly webhookSemaphore: Pick<KeyedSemaphore, 'run'>;
  readonly deferrals: Deferrals;
  readonly resumeDelivery: ResumeDelivery;
  readonly log: OutcomeLog;
  readonly deadLetters: DeadLetters;
  readonly dueRetries: DueRetries;
  readonly clock: Clock;
}

/**
 * ```
 *   released ──┬─ more than a second remains ──► appended to the next tier ──► done
 *              ├─ its webhook has more than half of the window ──► put off, where it is new ──► done
 *              └─ waits here until it is due ──► looked up ──► attempted, planned again, or dropped ──► done
 * ```
 */
export function createHandleRetry(dependencies: HandleRetryDependencies): HandleRecord {
  const { log, windowShare, deadLetters, dueRetries, clock } = dependencies;
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
    return windowShare.during(record, retryRecord.webhookId, (isOverShare) =>
      dueRetries.during(record.topic, retryRecord.due, async () =>
        isOverShare && (await mayBeDeferred(dependencies, record, signal))
          ? defer(dependencies, retryRecord)
          : attemptWhenDue(dependencies, { retryRecord, record }, signal),
      ),
    );
  };
}

/**
 * Not one that stood in the log at assignment: a crash may have left it between its outcome and the next work record, and a
 * copy that is appended now would pass for one that nobody has begun.
 */
async function mayBeDeferred(
  { assignments }: HandleRetryDependencies,
  record: RawRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const assignment = await assignments.of(record, signal);
  return !assignment.predatesAssignment(record) && !signal.aborted;
}

/** What it would find is found when it comes back. */
async function defer(
  { deferrals, log }: HandleRetryDependencies,
  retryRecord: RetryRecord,
): Promise<WorkResult> {
  const { due, tier } = deferrals.defer(retryRecord, true);
  await log.schedule({ ...retryRecord, due }, tier);
  return 'done';
}

async function attemptWhenDue(
  dependencies: HandleRetryDependencies,
  source: { readonly retryRecord: RetryRecord; readonly record: RawRecord },
  signal: AbortSignal,
): Promise<WorkResult> {
  const isDue = await untilDue(source.retryRecord.due, dependencies.clock, signal);
  return isDue
    ? dependencies.webhookSemaphore.run(source.retryRecord.webhookId, () =>
        attemptDue(dependencies, source, signal),
      )
    : 'abandoned';
}

/** @returns false where the partition was lost before */
async function untilDue(due: Date, clock: Clock, signal: AbortSignal): Promise<boolean> {
  // A timer may go off a millisecond early.
  for (let left = due.getTime() - clock().getTime(); left > 0; left = due.getTime() - clock().getTime()) {
    await pause(left);
  }
  return !signal.aborted;
}

async function attemptDue(
  { assignments, states, resumeDelivery }: HandleRetryDependencies,
  { retryRecord, record }: { readonly retryRecord: RetryRecord; readonly record: RawRecord },
  signal: AbortSignal,
) {
  const assignment = await assignments.of(record, signal);
  const predatesAssignment = assignment.predatesAssignment(record);
  const awaited: readonly Awaited[] = [
    ...passed('events', retryRecord.positions.event),
    ...passed('deliveries', retryRecord.positions.outcome),
    // The previous owner may have come further than this record says, and so may another process if it was planned from the read model.
    ...(predatesAssignment
      ? [outcomesBelow(await assignment.deliveriesAfterHandOver(), retryRecord.eventId)]
      : retryRecord.positions.outcome === null
        ? [outcomesBelow(assignment.deliveries, retryRecord.eventId)]
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
