/** How many events a replay hands over next, and when. */
export interface ReplayPace {
  /** Of the next page, in events. */
  readonly pageSize: () => number;
  /**
   * Whether the next page may be handed over.
   * @param pending those that were handed over and wait for their first attempt, planned for later ones included
   */
  readonly isDue: (pending: number) => boolean;
  /** To be called when a page is handed over. */
  readonly handedOver: () => void;
}

const smallestPage = 25;
const firstPage = 50;
const largestPage = 250;
/** Between two pages at least: 500 events a second are the most that a replay asks for. */
const shortestIntervalMs = 500;
/** A page that was taken up in this time may be followed by a larger one. The group of the requests fetches once a second. */
const quickMs = 1500;
/** A page that takes longer is followed by a smaller one: what waits for a webhook had better wait in the read model. */
const slowMs = 4000;

/**
 * At most two pages of a replay wait for their first attempts, and a page is as large as its webhook takes up in a few
 * seconds: it doubles while the webhook is quick, and halves where it is slow.
 * @param now milliseconds that only go forward
 */
export function createReplayPace(now: () => number): ReplayPace {
  let size = firstPage;
  let handedOverAt: number | null = null;

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
      if (handedOverAt === null) {
        return true;
      }
      const tookMs = now() - handedOverAt;
      if (pending > size || tookMs < shortestIntervalMs) {
        return false;
      }
      adapt(tookMs);
      handedOverAt = null;
      return true;
    },
    handedOver: () => {
      handedOverAt = now();
    },
  };
}
