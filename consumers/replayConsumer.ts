import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import type { Identifiers } from '../shared/domain/core/identifiers.js';
import type { Filters } from '../shared/filters/filters.js';
import type { DeadLetters } from '../shared/log/deadLetters/deadLetters.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import { replayRecords } from '../shared/log/records/replays.js';
import type { HandleRecord, WorkResult } from '../shared/log/window/retryingHandler.js';
import type { Metrics } from '../shared/runtime/metrics.js';
import { createReplayCounts } from '../shared/store/queries/replayCounts.js';
import { createPersistentLog } from './engine/outcomeLog.js';
import { createTurnRing, type TurnOwner } from './fairness/turnRing.js';
import type { Assignments } from './lookups/assignmentEndOffsets.js';
import type { WebhookReader } from './lookups/webhookReader.js';
import { createReplayLog } from './sources/replayLog.js';
import { createRunReplay, type RunReplay } from './sources/runReplay.js';
import { createWithdrawReplay, type WithdrawReplay } from './sources/withdrawReplay.js';

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

export interface HandleReplayDependencies {
  readonly assignments: Assignments;
  readonly runReplay: RunReplay;
  readonly withdrawReplay: WithdrawReplay;
  readonly deadLetters: DeadLetters;
  readonly metrics: Pick<Metrics, 'replaysRunning'>;
  readonly logger: Pick<Logger, 'info'>;
}

const requestType = 'postrider.replay.requested';
const cancelationType = 'postrider.replay.canceled';

/**
 * Runs the replay that a record requests, and withdraws the deliveries of the replay that a record cancels. The record is
 * done when all of that has ended, so after a crash the next owner of the partition reads the record again. The topic's
 * other records contain the progress of replays, which the read model stores.
 */
function createHandleReplay(dependencies: HandleReplayDependencies): HandleRecord {
  const { assignments, runReplay, withdrawReplay, deadLetters, metrics, logger } = dependencies;
  const oneAtATime = createSequence();

  const run = async (replayId: string, signal: AbortSignal) => {
    metrics.replaysRunning.inc();
    try {
      const result = await runReplay(replayId, signal);
      logger.info({ replayId, result }, 'replay');
      return result;
    } finally {
      metrics.replaysRunning.dec();
    }
  };

  return async (record, signal) => {
    const type = String(record.headers['ce_type']);
    if (type !== requestType && type !== cancelationType) {
      return 'done';
    }
    const decoded = replayRecords.decode(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    await assignments.of(record, signal);
    const { key: replayId } = decoded.content.context;
    if (type === requestType) {
      return oneAtATime(replayId, () => run(replayId, signal));
    }
    const runEnded = async () => {
      await oneAtATime(replayId, () => Promise.resolve('done'));
    };
    return withdrawReplay(replayId, { record, runEnded }, signal);
  };
}

/**
 * Allows one run of a replay at a time. The log may contain the request of a replay twice. After a rebalance the
 * request may also be read again before the run of the lost assignment has ended.
 */
function createSequence() {
  const last = new Map<string, Promise<unknown>>();

  return async (replayId: string, work: () => Promise<WorkResult>): Promise<WorkResult> => {
    const previous = last.get(replayId) ?? Promise.resolve();
    const result = previous.then(work, work);
    last.set(replayId, result);
    try {
      return await result;
    } finally {
      if (last.get(replayId) === result) {
        last.delete(replayId);
      }
    }
  };
}
