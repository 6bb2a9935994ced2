import { messageOf } from '../shared/core/errors.js';
import type { Measured } from './measurement.js';
import type { Failure, Report, Result } from './results/result.js';

/** One run of a scenario on one pipeline. */
export interface PlannedMeasurement extends Pick<Result, 'scenario' | 'pipeline' | 'run'> {
  readonly measure: () => Promise<Measured>;
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
  for (const [index, { measure, ...what }] of planned.entries()) {
    const { scenario, pipeline, run } = what;
    onProgress(`${index + 1} of ${planned.length}: ${scenario} on ${pipeline}, run ${run} …`);
    const origin = { ...what, measuredAt: new Date().toISOString(), commit };
    const outcome = await measure().catch((error: unknown) => ({ reason: messageOf(error) }));
    // An interrupted measurement is no failure.
    if (signal.aborted) {
      break;
    }
    if ('reason' in outcome) {
      onProgress(`${scenario} on ${pipeline} has failed: ${outcome.reason}`);
      failures.push({ ...origin, ...outcome });
      await onFailure();
    } else {
      results.push({ ...origin, ...outcome });
    }
    await onMeasured({ results, failures });
  }
  return { results, failures };
}
