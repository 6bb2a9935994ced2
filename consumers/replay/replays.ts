import type { Clock } from '../../shared/clock.js';
import type { Connections } from '../../shared/connections.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { DeadLetters } from '../../shared/kafka/deadLetters.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import type { HandleRecord } from '../../shared/kafka/windowedConsumer.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics.js';
import { createReplayCounts } from '../../shared/mongo/replayCounts.js';
import type { Assignments } from '../delivery/assignments.js';
import { createPersistentLog } from '../delivery/persistentLog.js';
import type { WebhookReader } from '../delivery/webhookReader.js';
import { createDeliverReplay } from './deliverReplay.js';
import { limited } from './limited.js';
import { createReplayLog } from './replayLog.js';
import { createRunReplay } from './runReplay.js';

export interface ReplaysContext {
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
export function createReplays(context: ReplaysContext): HandleRecord {
  const { connections, log, identifiers, clock, logger } = context;
  const { models, offsets, progress } = connections;
  const events = {
    findPage: limited(readsAtOnce, models.events.findPage),
    countPage: limited(readsAtOnce, models.events.countPage),
  };
  const runReplay = createRunReplay({
    ...context,
    models: { replays: models.replays, events },
    ...{ progress, offsets },
    counts: createReplayCounts(models.events),
    log: createReplayLog({ log: createPersistentLog(log, logger), progress, identifiers, clock }),
  });
  return createDeliverReplay({ ...context, runReplay });
}
