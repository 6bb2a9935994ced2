import type { Clock } from '../../shared/core/clock.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/delivery.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { tierFor, tiers, type Tier } from '../../shared/domain/deliveries/tiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { encodeRetry, type LogPosition, type RetryRecord } from '../../shared/log/records/retry.js';
import { type DeliveryJob, attemptKey } from './deliveryJob.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { InFlightRegistry } from './inFlightRegistry.js';

/** Writes what becomes of pairs. Each resolves once all in-sync replicas have it, however long that takes. */
export interface OutcomeLog {
  /**
   * Appends facts of a pair together, in their order.
   * @returns where the first one stands
   */
  record: (job: DeliveryJob, facts: readonly [DeliveryFact, ...DeliveryFact[]]) => Promise<LogPosition>;
  /** Appends the work record of an attempt that is planned, to the tier that its due time asks for, or to this one. */
  schedule: (retryRecord: RetryRecord, tier?: Tier) => Promise<void>;
}

export interface OutcomeLogDependencies {
  /** One that appends until it is acknowledged. */
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

export function createOutcomeLog({ log, identifiers, clock }: OutcomeLogDependencies): OutcomeLog {
  const encode = ({ eventId: key, accountId, mode }: DeliveryJob, fact: DeliveryFact) => {
    const at = clock();
    return deliveryRecords.encode(fact, { id: identifiers.createRecordId(at), key, accountId, mode, at });
  };

  return {
    record: async (job, [first, ...others]) => {
      const { partition, offset } = await log.appendTogether([
        encode(job, first),
        ...others.map((fact) => encode(job, fact)),
      ]);
      return { partition, offset };
    },
    schedule: async (retryRecord, asked) => {
      const at = clock();
      // What is due sooner than the shortest tier waits there all the same: in memory alone it would be lost in a crash.
      const tier = asked ?? tierFor(retryRecord.due.getTime() - at.getTime()) ?? tiers[0];
      await log.append(encodeRetry(retryRecord, tier, { id: identifiers.createRecordId(at), at }));
    },
  };
}

/**
 * Appends the retry record of a pair's next attempt, once in this process for each number: duplicates of the record that leads
 * to it do not multiply.
 * @returns `done` once the log has acknowledged the retry record, also if another call appends it
 */
export type ScheduleOnce = (job: DeliveryJob, due: Date, signal?: AbortSignal) => Promise<WorkResult>;

export function createScheduleOnce({
  log,
  inFlight,
}: {
  readonly log: Pick<OutcomeLog, 'schedule'>;
  readonly inFlight: InFlightRegistry;
}): ScheduleOnce {
  return (job, due, signal) =>
    inFlight.run(
      `retry/${attemptKey(job)}`,
      async () => {
        await log.schedule({ ...job, due });
        return 'done';
      },
      signal,
    );
}
