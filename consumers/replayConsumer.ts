import { createKeyedSemaphore } from '../shared/concurrency/keyedSemaphore.js';
import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { HandleRecord } from '../shared/log/window/windowedConsumer.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import { createPersistentLog } from './engine/outcomeLog.js';
import type { Assignments } from './lookups/assignmentEndOffsets.js';
import type { WebhookReader } from './lookups/webhookReader.js';
import { createReplayLog } from './sources/replayLog.js';
import { createHandleReplay } from './sources/replays.js';
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

/** The most pages of events that the replays of a process read at once. */
const maximumReads = 4;

/** The wiring of the handler of the topic `replays`. */
export function createReplayConsumer(context: ReplayConsumerContext): HandleRecord {
  const { connections, log, identifiers, clock, logger } = context;
  const { models, offsets, progress } = connections;
  const events = {
    findPage: limitConcurrency(maximumReads, models.events.findPage),
    findValues: models.events.findValues,
    countPage: limitConcurrency(maximumReads, models.events.countPage),
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

/** A function that limits how many calls of `work` run at once. Further calls wait in their order. */
export function limitConcurrency<Argument, Result>(
  maximum: number,
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const semaphore = createKeyedSemaphore(maximum);
  return (argument) => semaphore.run('all', () => work(argument));
}
