import { monotonicMs } from '../measure/monotonicClock.js';
import type { LoadReport } from './plans.js';

/** Keeps what becomes of the events of one plan. */
export interface LoadRecord {
  /** @param index of the event within the plan */
  readonly started: (index: number, at: number) => void;
  /** @param outcome the status of the answer, or the code of the error in its place */
  readonly ended: (index: number, outcome: number | string) => void;
  /** How many were answered with 201 so far. */
  readonly accepted: () => number;
  readonly report: () => LoadReport;
}

const created = 201;

/** @param count of events that may be posted; the report is of those that were */
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
