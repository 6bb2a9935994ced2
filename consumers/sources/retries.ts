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
  readonly lines: Pick<KeyedSemaphore, 'run'>;
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
    const work = decoded.content;
    const remainingMs = work.due.getTime() - clock().getTime();
    if (tierFor(remainingMs) !== null) {
      await log.plan(work);
      return 'done';
    }
    return windowShare.during(record, work.webhookId, (isOverShare) =>
      dueRetries.during(record.topic, work.due, async () =>
        isOverShare && (await mayBePutOff(dependencies, record, signal))
          ? putOff(dependencies, work)
          : attemptWhenDue(dependencies, { work, record }, signal),
      ),
    );
  };
}

/**
 * Not one that stood in the log at assignment: a crash may have left it between its outcome and the next work record, and a
 * copy that is appended now would pass for one that nobody has begun.
 */
async function mayBePutOff(
  { assignments }: HandleRetryDependencies,
  record: RawRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const assignment = await assignments.of(record, signal);
  return !assignment.predatesAssignment(record) && !signal.aborted;
}

/** What it would find is found when it comes back. */
async function putOff({ deferrals, log }: HandleRetryDependencies, work: RetryRecord): Promise<WorkResult> {
  const { due, tier } = deferrals.defer(work, true);
  await log.plan({ ...work, due }, tier);
  return 'done';
}

async function attemptWhenDue(
  dependencies: HandleRetryDependencies,
  met: { readonly work: RetryRecord; readonly record: RawRecord },
  signal: AbortSignal,
): Promise<WorkResult> {
  const isDue = await untilDue(met.work.due, dependencies.clock, signal);
  return isDue
    ? dependencies.lines.run(met.work.webhookId, () => attemptDue(dependencies, met, signal))
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
  { work, record }: { readonly work: RetryRecord; readonly record: RawRecord },
  signal: AbortSignal,
) {
  const assignment = await assignments.of(record, signal);
  const stoodAtAssignment = assignment.predatesAssignment(record);
  const awaited: readonly Awaited[] = [
    ...passed('events', work.positions.event),
    ...passed('deliveries', work.positions.outcome),
    // The previous owner may have come further than this record says, and so may another process if it was planned from the read model.
    ...(stoodAtAssignment
      ? [outcomesBelow(await assignment.deliveriesAfterHandOver(), work.eventId)]
      : work.positions.outcome === null
        ? [outcomesBelow(assignment.deliveries, work.eventId)]
        : []),
  ];
  const state = await states.of(work.eventId, awaited, signal);
  if (state === null) {
    return 'abandoned';
  }
  const { number, attemptsMade, trigger, due, ...identity } = work;
  const met = {
    record: 'work',
    cycle: work.cycle,
    number,
    attemptsMade,
    trigger,
    stoodAtAssignment,
  } as const;
  return resumeDelivery({ identity, met, isOverShare: false, state }, signal);
}
