import type { Logger } from '../../shared/core/logger.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import { replayRecords } from '../../shared/log/records/replays.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import type { RunReplay } from './runReplay.js';
import type { WithdrawReplay } from './withdrawReplay.js';

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
export function createHandleReplay(dependencies: HandleReplayDependencies): HandleRecord {
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
