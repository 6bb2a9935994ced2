import { messageOf } from '../shared/core/errors.js';
import type { Measured } from './measurement.js';
import type { Failure, Report, Result } from './results/result.js';

/** The measurement of a scenario on all its pipelines, from one start of their processes to the end. */
export interface PlannedMeasurement extends Pick<Failure, 'scenario' | 'start'> {
  readonly measure: () => Promise<readonly Measured[]>;
}

export interface CollectOptions {
  readonly commit: string | null;
  readonly onProgress: (line: string) => void;
  /** Gets all results after each measurement, so that a crash of a later one does not lose them. */
  readonly onMeasured: (collected: Collected) => Promise<void>;
  /** Called after a failed measurement, before the next one starts. */
  readonly onFailure: () => Promise<void>;
  /** After an abort no further measurement starts. */
  readonly signal: AbortSignal;
}

export type Collected = Pick<Report, 'results' | 'failures'>;

/** Runs the measurements one after the other. A failed one is collected with its reason, and the next one starts. */
export async function collect(
  planned: readonly PlannedMeasurement[],
  options: CollectOptions,
): Promise<Collected> {
  const { commit, onProgress, onMeasured, onFailure, signal } = options;
  const results: Result[] = [];
  const failures: Failure[] = [];
  for (const [index, { scenario, start, measure }] of planned.entries()) {
    onProgress(`${index + 1} of ${planned.length}: ${scenario}, start ${start} …`);
    const origin = { scenario, start, measuredAt: new Date().toISOString(), commit };
    const outcome = await measure().catch((error: unknown) => ({ reason: messageOf(error) }));
    // An interrupted measurement is no failure.
    if (signal.aborted) {
      break;
    }
    if ('reason' in outcome) {
      onProgress(`${scenario} has failed: ${outcome.reason}`);
      failures.push({ ...origin, ...outcome });
      await onFailure();
    } else {
      results.push(...outcome.map((measured) => ({ ...origin, ...measured })));
    }
    await onMeasured({ results, failures });
  }
  return { results, failures };
}
