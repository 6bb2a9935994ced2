import { createBoundedMap } from '../../shared/boundedMap.js';
import type { RawRecord } from '../../shared/topics/record.js';

/** Remembers the events that this process has met lately, so that one that comes in two records is noticed. */
export interface RecentEvents {
  /** Whether another record brought the event before this one did. */
  wasSeen: (eventId: string, record: RawRecord) => boolean;
}

/** @param capacity how many events are remembered: the oldest are forgotten first */
export function createRecentEvents(capacity: number): RecentEvents {
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
