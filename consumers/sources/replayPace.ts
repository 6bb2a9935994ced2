/** The size of a replay's next page, and the time at which the page is due. */
export interface ReplayPace {
  /** The number of events in the next page. */
  readonly pageSize: () => number;
  /**
   * Whether the next page may be requested.
   * @param pending the number of requested deliveries without a first attempt, including deferred ones
   */
  readonly isDue: (pending: number) => boolean;
  /** Notes that a page was requested. Must be called after each request of a page. */
  readonly pageRequested: () => void;
}

const smallestPage = 25;
const firstPage = 50;
const largestPage = 250;
/** The shortest time between two pages of a replay, which limits the replay to 500 events a second. */
const shortestIntervalMs = 500;
/**
 * The time within which a page must be attempted for the next to be larger. The requests group fetches once a second.
 */
const quickMs = 1500;
/** The time after which the next page is smaller, so that events wait in the read model instead of in the log. */
const slowMs = 4000;

/**
 * The pace of a replay. At most two pages of a replay wait for their first attempts. The size of a page follows the
 * webhook's speed: it doubles while the webhook is quick, and halves if the webhook is slow.
 * @param now milliseconds of a monotonic clock
 */
export function createReplayPace(now: () => number): ReplayPace {
  let size = firstPage;
  let requestedAt: number | null = null;

  const adapt = (tookMs: number) => {
    if (tookMs <= quickMs) {
      size = Math.min(largestPage, size * 2);
    } else if (tookMs > slowMs) {
      size = Math.max(smallestPage, Math.floor(size / 2));
    }
  };

  return {
    pageSize: () => size,
    isDue: (pending) => {
      if (requestedAt === null) {
        return true;
      }
      const tookMs = now() - requestedAt;
      if (pending > size || tookMs < shortestIntervalMs) {
        return false;
      }
      adapt(tookMs);
      requestedAt = null;
      return true;
    },
    pageRequested: () => {
      requestedAt = now();
    },
  };
}
