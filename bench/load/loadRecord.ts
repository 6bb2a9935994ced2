import { monotonicMs } from '../processes/monotonicClock.js';
import type { LoadReport } from './plans.js';

/** Records the outcomes of the posts of one plan. */
export interface LoadRecord {
  /** @param index of the event within the plan */
  readonly started: (index: number, at: number) => void;
  /** @param outcome the status of the answer, or the error if there was none */
  readonly ended: (index: number, outcome: number | string) => void;
  /** The number of answers 201 so far. */
  readonly accepted: () => number;
  readonly report: () => LoadReport;
}

const created = 201;

/** @param count the largest number of events; the report covers those that were posted */
export function createLoadRecord(count: number): LoadRecord {
  const startedAt = new Float64Array(count);
  const acceptedAt = new Float64Array(count).fill(NaN);
  const refused = new Map<string, number>();
  let posted = 0;
  let accepted = 0;
  let endedAt = 0;
  return {
    started: (index, at) => {
      posted = Math.max(posted, index + 1);
      startedAt[index] = at;
    },
    ended: (index, outcome) => {
      endedAt = monotonicMs();
      if (outcome === created) {
        accepted += 1;
        acceptedAt[index] = endedAt;
      } else {
        refused.set(String(outcome), (refused.get(String(outcome)) ?? 0) + 1);
      }
    },
    accepted: () => accepted,
    report: () => ({
      startedAt: startedAt.slice(0, posted),
      acceptedAt: acceptedAt.slice(0, posted),
      endedAt,
      accepted,
      refused: Object.fromEntries(refused),
    }),
  };
}
