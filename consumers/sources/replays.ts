import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { replayRecords } from '../../shared/log/records/replays.js';
import type { Assignments } from '../lookups/assignments.js';
import type { RunReplay } from './runReplay.js';

export interface HandleReplayDependencies {
  readonly assignments: Assignments;
  readonly runReplay: RunReplay;
  readonly deadLetters: DeadLetters;
  readonly metrics: Pick<Metrics, 'replaysRunning'>;
  readonly logger: Pick<Logger, 'info'>;
}

const requestType = 'postrider.replay.requested';

/**
 * Runs the replay that a record asks for. The record is done when the replay is, so its offset is where the next process begins
 * again after a crash. All other records say what became of replays: the read model has that.
 */
export function createHandleReplay(dependencies: HandleReplayDependencies): HandleRecord {
  const { assignments, runReplay, deadLetters, metrics, logger } = dependencies;
  const admission = createTurns();

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
    if (String(record.headers['ce_type']) !== requestType) {
      return 'done';
    }
    const decoded = replayRecords.decode(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    await assignments.of(record, signal);
    const { key: replayId } = decoded.content.context;
    return admission(replayId, () => run(replayId, signal));
  };
}

/**
 * One run of a replay at a time: its record may stand in the log twice, and after a rebalance it may come again before the run
 * under the lost assignment has noticed.
 */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();

  return async (replayId: string, work: () => Promise<WorkResult>): Promise<WorkResult> => {
    const before = last.get(replayId) ?? Promise.resolve();
    const result = before.then(work, work);
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
