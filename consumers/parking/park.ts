import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { DeliveryJob, JobOrigin, Park } from '../engine/deliveryJob.js';
import { parkedFact } from '../engine/outcomeFacts.js';
import type { OutcomeLog } from '../engine/outcomeLog.js';
import type { KnownBacklogs } from './knownBacklogs.js';

export interface ParkDependencies {
  readonly log: Pick<OutcomeLog, 'record'>;
  readonly backlogs: Pick<KnownBacklogs, 'add'>;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly metrics: Pick<Metrics, 'deliveriesParkedTotal'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The interval of log lines about one webhook, which may hang for days. */
const logIntervalMs = 60_000;
const rememberedLines = 10_000;

/**
 * Parks deliveries with one record each. The first attempt of an event is parked by the record that names the event's
 * webhooks, if that record is not appended yet.
 *
 * If the process dies before the acknowledgement, the source record is read again. If it dies afterwards, the process
 * that reads the source record finds the delivery parked.
 */
export function createPark({ log, backlogs, clock, now, metrics, logger }: ParkDependencies): Park {
  const loggedAt = createBoundedMap<string, number>(rememberedLines);

  const report = ({ accountId, webhookId }: DeliveryJob) => {
    const time = now();
    if (time - (loggedAt.get(webhookId) ?? -Infinity) >= logIntervalMs) {
      loggedAt.set(webhookId, time);
      logger.warn({ accountId, webhookId }, 'a webhook is busy: its deliveries are parked');
    }
  };

  return async (job, origin) => {
    backlogs.add(job.webhookId);
    report(job);
    const named = namedParking(job, origin);
    if (named !== null) {
      if ((await named) !== 'done') {
        return 'abandoned';
      }
      metrics.deliveriesParkedTotal.inc({ record: 'matched' });
      return 'parked';
    }
    await log.record(job, [parkedFact(job, origin.isFirst, clock())]);
    metrics.deliveriesParkedTotal.inc({ record: origin.isFirst ? 'deferred' : 'retry-deferred' });
    origin.progress?.recorded('parked');
    return 'parked';
  };
}

function namedParking({ cycle, number }: DeliveryJob, { isFirst, progress }: JobOrigin) {
  const isFirstOfEvent = isFirst && cycle === 0 && number === 1;
  return isFirstOfEvent ? (progress?.park?.() ?? null) : null;
}
