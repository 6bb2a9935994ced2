import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from '../../shared/core/clock.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import { tierFor, tiers } from '../../shared/domain/deliveries/schedule.js';
import { tenantContext } from '../../shared/domain/tenants/deliveryTenant.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { encodeRetry, type LogPosition, type RetryRecord } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import { attemptKey, type DeliveryJob } from './deliveryJob.js';
import type { InFlightRegistry } from './inFlightRegistry.js';

/** The log of outcomes and retries. An append resolves when all in-sync replicas have it, however long that takes. */
export interface OutcomeLog {
  /**
   * Appends the facts of a delivery together, in their order.
   * @returns the position of the first fact
   */
  readonly record: (
    job: DeliveryJob,
    facts: readonly [DeliveryFact, ...DeliveryFact[]],
  ) => Promise<LogPosition>;
  /** Appends a retry record. Its due time selects its tier. */
  readonly schedule: (retryRecord: RetryRecord) => Promise<void>;
}

export interface OutcomeLogDependencies {
  /** A log that repeats each append until it is acknowledged. */
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

export function createOutcomeLog({ log, identifiers, clock }: OutcomeLogDependencies): OutcomeLog {
  const encode = (job: DeliveryJob, fact: DeliveryFact) => {
    const { eventId: key, accountId, mode, positions } = job;
    const at = clock();
    const tenant = tenantContext(job, positions.event.offset);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    return deliveryRecords.encode(fact, context, positions.event.partition);
  };

  return {
    record: async (job, [first, ...others]) => {
      const { partition, offset } = await log.appendTogether([
        encode(job, first),
        ...others.map((fact) => encode(job, fact)),
      ]);
      return { partition, offset };
    },
    schedule: async (retryRecord) => {
      const at = clock();
      // A retry that is due before the shortest tier ends waits in that tier: a crash would lose a retry in memory.
      const tier = tierFor(retryRecord.due.getTime() - at.getTime()) ?? tiers[0];
      await log.append(encodeRetry(retryRecord, tier, { id: identifiers.createRecordId(at), at }));
    },
  };
}

/**
 * The append of a job's retry record, once in this process for each attempt number. So duplicates of a source record do
 * not multiply its retry records.
 * @returns `done` when the log has acknowledged the retry record, even if another call has appended it
 */
export type ScheduleOnce = (job: DeliveryJob, due: Date, signal?: AbortSignal) => Promise<WorkResult>;

const scheduledPrefix = 'retry/';

/** Whether this process knows that the log has the retry record of the attempt after the given one of a cycle. */
export function isNextScheduled(
  inFlight: Pick<InFlightRegistry, 'hasDone'>,
  { eventId, webhookId, cycle, number }: Pick<DeliveryJob, 'eventId' | 'webhookId' | 'cycle' | 'number'>,
): boolean {
  return inFlight.hasDone(scheduledPrefix + [eventId, webhookId, cycle, number + 1].join('/'));
}

export function createScheduleOnce({
  log,
  inFlight,
}: {
  readonly log: Pick<OutcomeLog, 'schedule'>;
  readonly inFlight: InFlightRegistry;
}): ScheduleOnce {
  return (job, due, signal) =>
    inFlight.run(
      scheduledPrefix + attemptKey(job),
      async () => {
        await log.schedule({ ...job, due });
        return 'done';
      },
      signal,
    );
}

const pauseMs = 200;

/**
 * A log that repeats each append until it is acknowledged. The attempt or the decision behind an append has already
 * happened, so an outage must not undo it. If the process stops before the acknowledgement, the source record is not
 * done and is read again.
 */
export function createPersistentLog(log: LogAppender, logger: Pick<Logger, 'warn'>): LogAppender {
  const untilAcknowledged: LogAppender['appendTogether'] = async (records) => {
    for (;;) {
      try {
        return await log.appendTogether(records);
      } catch (error) {
        const [{ topic, key }] = records;
        logger.warn({ topic, key, error: messageOf(error) }, 'the append of a record is repeated');
        await pause(pauseMs);
      }
    }
  };
  return { append: (record) => untilAcknowledged([record]), appendTogether: untilAcknowledged };
}
