import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';

/** Limits how often the clients of a network may send keys that do not exist: each of them costs a look-up in the database. */
export interface FailedKeyLimit {
  /**
   * Counts a look-up as failed until it is forgiven, so that concurrent ones cannot exceed the limit.
   * @returns null if it may be made, otherwise the whole seconds until the network may make another one
   */
  readonly attempt: (network: string) => number | null;
  /** The look-up did not fail. */
  readonly forgive: (network: string) => void;
}

/** Failed look-ups of a network in a period. */
const maximumFailures = 100;
const periodMs = 10_000;
const maximumNetworks = 10_000;

interface Period {
  readonly until: number;
  failures: number;
}

/** @param elapsedMs a clock that never goes back, in milliseconds */
export function createFailedKeyLimit(elapsedMs: () => number): FailedKeyLimit {
  const periods = createBoundedMap<string, Period>(maximumNetworks);

  const periodOf = (network: string): Period => {
    const now = elapsedMs();
    const known = periods.get(network);
    if (known !== undefined && now < known.until) {
      return known;
    }
    const period = { until: now + periodMs, failures: 0 };
    periods.set(network, period);
    return period;
  };

  return {
    attempt: (network) => {
      const period = periodOf(network);
      if (period.failures >= maximumFailures) {
        return Math.max(1, Math.ceil((period.until - elapsedMs()) / 1000));
      }
      period.failures += 1;
      return null;
    },
    forgive: (network) => {
      const period = periodOf(network);
      period.failures = Math.max(0, period.failures - 1);
    },
  };
}
