import type { RawRecord } from '../encoding/record.js';

/** Holds the records of one partition back until some time after their append. */
export interface DelayGate {
  /** Whether the record is not to be worked on yet. The gate opens again, once, when it may be. */
  holds: (record: RawRecord) => boolean;
  /** Forgets what it waits for. */
  close: () => void;
}

/** A partition whose head is held is fetched again at most so often. */
const shortestWaitMs = 250;

/**
 * A record is released `holdMs` after its append or after it was first seen, whichever is earlier: a producer whose clock is
 * ahead must not hold up a partition.
 * @param onOpen called when the record that was held last may be worked on
 */
export function createDelayGate(holdMs: number, onOpen: () => void): DelayGate {
  let head: { readonly offset: number; readonly releaseAt: number } | null = null;
  let timer: NodeJS.Timeout | undefined;

  const releaseOf = ({ offset, timestamp }: RawRecord, now: number): number => {
    const releaseAt = Math.min(timestamp, now) + holdMs;
    return head?.offset === offset ? Math.min(head.releaseAt, releaseAt) : releaseAt;
  };

  return {
    holds: (record) => {
      const now = Date.now();
      const releaseAt = releaseOf(record, now);
      if (holdMs === 0 || releaseAt <= now) {
        return false;
      }
      head = { offset: record.offset, releaseAt };
      clearTimeout(timer);
      timer = setTimeout(onOpen, Math.max(releaseAt - now, shortestWaitMs));
      return true;
    },
    close: () => {
      clearTimeout(timer);
    },
  };
}
