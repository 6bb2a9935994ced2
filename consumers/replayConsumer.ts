import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { Filters } from '../shared/filters/filters.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import type { HandleRecord } from '../shared/log/window/windowedConsumer.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import { createPersistentLog } from './engine/outcomeLog.js';
import { createTurnRing, type TurnOwner } from './fairness/turnRing.js';
import type { Assignments } from './lookups/assignmentEndOffsets.js';
import type { WebhookReader } from './lookups/webhookReader.js';
import { createReplayLog } from './sources/replayLog.js';
import { createHandleReplay } from './sources/replays.js';
import { createRunReplay } from './sources/runReplay.js';
import { createWithdrawReplay } from './sources/withdrawReplay.js';

export interface ReplayConsumerContext {
  readonly connections: Pick<Connections, 'models' | 'offsets' | 'progress'>;
  readonly log: LogAppender;
  readonly assignments: Assignments;
  readonly webhooks: WebhookReader;
  readonly filters: Filters;
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
  const runInTurn = createTurns(maximumReads);
  const { findPage, findValues, countPage } = models.events;
  const persistentLog = createPersistentLog(log, logger);
  const runReplay = createRunReplay({
    ...context,
    models: { replays: models.replays },
    eventsOf: (replay) => ({
      findPage: (query) => runInTurn(replay, () => findPage(query)),
      findValues,
      countPage: (query) => runInTurn(replay, () => countPage(query)),
    }),
    progress,
    offsets,
    counts: createReplayCounts(models.events),
    log: createReplayLog({ log: persistentLog, progress, identifiers, clock }),
  });
  const withdrawReplay = createWithdrawReplay({
    models,
    progress,
    offsets,
    identifiers,
    clock,
    log: persistentLog,
  });
  return createHandleReplay({ ...context, runReplay, withdrawReplay });
}

/** Runs work when its account and its tenant have their turn. */
type RunInTurn = <Result>(owner: TurnOwner, work: () => Promise<Result>) => Promise<Result>;

/**
 * A limit for how much work runs at once. The accounts get the free places in turn, and so do the tenants of an account.
 * So many replays of one tenant do not delay the replays of others.
 */
export function createTurns(maximum: number): RunInTurn {
  const waiting = createTurnRing<TurnOwner & { readonly start: () => void }>();
  let running = 0;

  const startNext = () => {
    const next = running < maximum ? waiting.take() : null;
    if (next !== null) {
      running += 1;
      next.start();
    }
  };

  return async ({ accountId, tenancy }, work) => {
    await new Promise<void>((start) => {
      waiting.put({ accountId, tenancy, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
