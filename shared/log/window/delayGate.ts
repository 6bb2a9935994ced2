import type { RawRecord } from '../encoding/record.js';

/** Delays the records of one partition until some time after their append. */
export interface DelayGate {
  /** Whether a record must wait. If the record must wait, the gate opens once when the record is due. */
  holds: (record: RawRecord) => boolean;
  /** Cancels the pending opening of the gate. */
  close: () => void;
}

/** The shortest interval between fetches of a partition whose first record must wait. */
const shortestWaitMs = 250;

/**
 * Creates a delay gate. The gate releases a record `holdMs` after its append, or `holdMs` after the first fetch if that
 * is earlier. So a producer whose clock is ahead cannot block a partition.
 * @param onOpen called when the last delayed record is due
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
