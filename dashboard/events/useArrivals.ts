import { useEffect, useState } from 'preact/hooks';

import type { Event } from '../api/types.js';
import type { FoundPage } from './eventList.js';
import { useLiveEvents } from './useLiveEvents.js';

interface Arrivals {
  /** The newest id that was known when it began; null while the list is not followed. */
  readonly mark: string | null;
  /** Those that have come since, newest first. */
  readonly arrived: readonly Event[];
  /** Why none come at the moment. */
  readonly trouble: string | null;
}

/** What comes while a list is followed: the stream tells of changes of older events too. */
export function useArrivals(isOn: boolean, types: readonly string[], page: FoundPage | null): Arrivals {
  const live = useLiveEvents(isOn, types);
  const mark = useMark(isOn, page === null ? null : (page.list.data[0]?.id ?? ''));
  const arrived = live.events.filter(({ id }) => mark !== null && id > mark);
  return { mark, arrived, trouble: live.failure?.message ?? null };
}

function useMark(isOn: boolean, newestId: string | null): string | null {
  const [mark, setMark] = useState<string | null>(null);
  useEffect(() => {
    setMark((before) => (isOn ? (before ?? newestId) : null));
  }, [isOn, newestId]);
  return mark;
}
