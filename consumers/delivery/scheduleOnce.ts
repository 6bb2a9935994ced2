import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import type { InFlightRegistry } from './inFlightRegistry.js';
import { nameOfAttempt, type Pair } from './pair.js';
import type { PairLog } from './pairLog.js';

/**
 * Appends the retry record of a pair's next attempt, once in this process for each number: duplicates of the record that leads
 * to it do not multiply.
 * @returns `done` once the log has acknowledged the retry record, also if another call appends it
 */
export type ScheduleOnce = (pair: Pair, due: Date, signal?: AbortSignal) => Promise<WorkResult>;

export function createScheduleOnce({
  log,
  inFlight,
}: {
  readonly log: Pick<PairLog, 'plan'>;
  readonly inFlight: InFlightRegistry;
}): ScheduleOnce {
  return (pair, due, signal) =>
    inFlight.run(
      `retry/${nameOfAttempt(pair)}`,
      async () => {
        await log.plan({ ...pair, due });
        return 'done';
      },
      signal,
    );
}
