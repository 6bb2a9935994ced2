import { setTimeout as pause } from 'node:timers/promises';

import type { Clock } from '../../shared/core/clock.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { EventMatched, MatchedWebhook } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import { tenantContext } from '../../shared/domain/tenants/deliveryTenant.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { Metrics } from '../../shared/runtime/metrics.js';

/** An event and the webhooks that match it. `position` is the position of the event's own record. */
export interface MatchedWebhooks {
  readonly event: Pick<AcceptedEvent, 'id' | 'accountId' | 'mode' | 'tenantId'>;
  readonly position: LogPosition;
  readonly webhooks: readonly MatchedWebhook[];
}

/**
 * Appends the record that names the webhooks of an unfinished event.
 * @returns `done` if the log has acknowledged the record, `abandoned` if the partition was lost before
 */
export type AppendMatched = (matched: MatchedWebhooks, signal: AbortSignal) => Promise<WorkResult>;

export interface MatchedLogDependencies {
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'matchedRecords'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const pauseMs = 200;

/**
 * The append is repeated until it is acknowledged, as that of an outcome. It ends with the loss of the partition,
 * because the next owner matches the event itself.
 */
export function createAppendMatched(dependencies: MatchedLogDependencies): AppendMatched {
  const { log, identifiers, clock, metrics, logger } = dependencies;
  return async ({ event: { id: key, accountId, mode, tenantId }, position, webhooks }, signal) => {
    const at = clock();
    const { partition, offset } = position;
    const fact: EventMatched = {
      type: 'postrider.delivery.matched',
      value: { event: { offset }, webhooks },
    };
    const tenant = tenantContext({ tenantId }, offset);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    const record = deliveryRecords.encode(fact, context, partition);
    do {
      try {
        await log.append(record);
        metrics.matchedRecords.inc();
        return 'done';
      } catch (error) {
        logger.warn({ eventId: key, error: messageOf(error) }, 'the append of matched webhooks is repeated');
        await pause(pauseMs);
      }
    } while (!signal.aborted);
    return 'abandoned';
  };
}
