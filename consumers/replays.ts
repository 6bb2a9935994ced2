import type { Clock } from '../shared/core/clock.js';
import type { Connections } from '../shared/connections/connections.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { HandleRecord } from '../shared/log/window/windowedConsumer.js';
import type { Logger } from '../shared/core/logger.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import type { Assignments } from './lookups/assignments.js';
import { createPersistentLog } from './engine/persistentLog.js';
import type { WebhookReader } from './lookups/webhookReader.js';
import { createHandleReplay } from './sources/replays.js';
import { limitConcurrency } from './sources/limitConcurrency.js';
import { createReplayLog } from './sources/replayLog.js';
import { createRunReplay } from './sources/runReplay.js';

export interface ReplayConsumerContext {
  readonly connections: Pick<Connections, 'models' | 'offsets' | 'progress'>;
  readonly log: LogAppender;
  readonly assignments: Assignments;
  readonly webhooks: WebhookReader;
  readonly identifiers: Identifiers;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** However many replays run in a process, so many of them read a page of events at once. */
const readsAtOnce = 4;

/** Wires the work on the records of the topic `replays`. */
export function createReplayConsumer(context: ReplayConsumerContext): HandleRecord {
  const { connections, log, identifiers, clock, logger } = context;
  const { models, offsets, progress } = connections;
  const events = {
    findPage: limitConcurrency(readsAtOnce, models.events.findPage),
    countPage: limitConcurrency(readsAtOnce, models.events.countPage),
  };
  const runReplay = createRunReplay({
    ...context,
    models: { replays: models.replays, events },
    ...{ progress, offsets },
    counts: createReplayCounts(models.events),
    log: createReplayLog({ log: createPersistentLog(log, logger), progress, identifiers, clock }),
  });
  return createHandleReplay({ ...context, runReplay });
}
