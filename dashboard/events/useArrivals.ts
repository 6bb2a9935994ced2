import { useEffect, useState } from 'preact/hooks';

import type { Event } from '../api/types.js';
import type { EventFilters } from './eventFilters.js';
import type { FoundPage } from './eventList.js';
import { useLiveEvents } from './useLiveEvents.js';

interface Arrivals {
  /** The newest known event id at the start of live mode, or null while live mode is off. */
  readonly mark: string | null;
  /** The events since the start of live mode, newest event first. */
  readonly arrived: readonly Event[];
  /** Whether events are missing in `arrived`. */
  readonly hasGap: boolean;
  /** The reason why no events arrive at the moment, or null if the stream works. */
  readonly trouble: string | null;
}

/** New events in live mode. The event stream also reports changes of older events, which this hook drops. */
export function useArrivals(
  isOn: boolean,
  { types, tenantId }: Pick<EventFilters, 'types' | 'tenantId'>,
  page: FoundPage | null,
): Arrivals {
  const live = useLiveEvents(isOn, types, tenantId);
  const mark = useMark(isOn, page === null ? null : (page.list.data[0]?.id ?? ''));
  const arrived = live.events.filter(({ id }) => mark !== null && id > mark);
  return { mark, arrived, hasGap: live.hasGap, trouble: live.failure?.message ?? null };
}

function useMark(isOn: boolean, newestId: string | null): string | null {
  const [mark, setMark] = useState<string | null>(null);
  useEffect(() => {
    setMark((before) => (isOn ? (before ?? newestId) : null));
  }, [isOn, newestId]);
  return mark;
}
