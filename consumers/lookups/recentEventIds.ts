import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';

/** Remembers the events that this process has met lately, so that one that comes in two records is noticed. */
export interface RecentEventIds {
  /** Whether another record brought the event before this one did. */
  wasSeen: (eventId: string, record: RawRecord) => boolean;
}

/** @param capacity how many events are remembered: the oldest are forgotten first */
export function createRecentEventIds(capacity: number): RecentEventIds {
  const positions = createBoundedMap<string, string>(capacity);
  return {
    wasSeen: (eventId, { partition, offset }) => {
      const position = `${partition}/${offset}`;
      const known = positions.get(eventId);
      if (known !== undefined) {
        return known !== position;
      }
      positions.set(eventId, position);
      return false;
    },
  };
}
