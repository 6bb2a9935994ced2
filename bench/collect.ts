import { messageOf } from '../shared/core/errors.js';
import type { Measured } from './measurement.js';
import type { Failure, Report, Result } from './report/result.js';

/** One run of a scenario on one pipeline that is to be measured. */
export interface Planned extends Pick<Result, 'scenario' | 'pipeline' | 'run'> {
  readonly measure: () => Promise<Measured>;
}

export interface CollectOptions {
  readonly commit: string | null;
  readonly onProgress: (line: string) => void;
  /** Gets what there is after each measurement: what was measured in an hour should outlast the next one. */
  readonly onMeasured: (collected: Collected) => Promise<void>;
  /** Called where a measurement has failed, before the next one begins. */
  readonly onFailure: () => Promise<void>;
  /** Nothing more is begun once it was aborted. */
  readonly signal: AbortSignal;
}

export type Collected = Pick<Report, 'results' | 'failures'>;

/** Measures one after the other. What fails is collected with its reason, and takes nothing with it that the next one needs. */
export async function collect(planned: readonly Planned[], options: CollectOptions): Promise<Collected> {
  const { commit, onProgress, onMeasured, onFailure, signal } = options;
  const results: Result[] = [];
  const failures: Failure[] = [];
  for (const [index, { measure, ...what }] of planned.entries()) {
    const { scenario, pipeline, run } = what;
    onProgress(`${index + 1} of ${planned.length}: ${scenario} on ${pipeline}, run ${run} …`);
    const origin = { ...what, measuredAt: new Date().toISOString(), commit };
    const outcome = await measure().catch((error: unknown) => ({ reason: messageOf(error) }));
    // What was interrupted has not failed.
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
