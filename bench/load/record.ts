import { monotonicMs } from '../measure/monotonicClock.js';
import type { LoadReport } from './plans.js';

/** Keeps what becomes of the events of one plan. */
export interface LoadRecord {
  /** @param index of the event within the plan */
  readonly started: (index: number, at: number) => void;
  /** @param outcome the status of the answer, or the code of the error in its place */
  readonly ended: (outcome: number | string) => void;
  readonly report: () => LoadReport;
}

const created = 201;

export function createLoadRecord(count: number): LoadRecord {
  const startedAt = new Float64Array(count);
  const refused = new Map<string, number>();
  let accepted = 0;
  let endedAt = 0;
  return {
    started: (index, at) => {
      startedAt[index] = at;
    },
    ended: (outcome) => {
      endedAt = monotonicMs();
      if (outcome === created) {
        accepted += 1;
      } else {
        refused.set(String(outcome), (refused.get(String(outcome)) ?? 0) + 1);
      }
    },
    report: () => ({ startedAt, endedAt, accepted, refused: Object.fromEntries(refused) }),
  };
}
