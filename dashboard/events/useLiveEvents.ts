import { useEffect, useState } from 'preact/hooks';

import { followEvents } from '../api/eventStream.js';
import type { RequestFailure } from '../api/failure.js';
import type { Event } from '../api/types.js';
import { useMode } from '../navigation/useMode.js';

/** The number of retained events in live mode. The next pages of the list contain older events. */
const kept = 200;

export interface LiveEvents {
  /** The events since the start of live mode, newest event first. */
  readonly events: readonly Event[];
  /** Whether the stream skipped events, or more events arrived than are retained. */
  readonly hasGap: boolean;
  readonly failure: RequestFailure | null;
}

const none: LiveEvents = { events: [], hasGap: false, failure: null };

/** Streams accepted events while `isOn` is true. */
export function useLiveEvents(isOn: boolean, types: readonly string[], tenantId: string | null): LiveEvents {
  const mode = useMode();
  const [live, setLive] = useState(none);
  const wanted = types.join(' ');
  useEffect(() => {
    setLive(none);
    if (!isOn) {
      return undefined;
    }
    const abort = new AbortController();
    void followEvents({
      mode,
      types: wanted.split(' ').filter((type) => type !== ''),
      tenantId,
      signal: abort.signal,
      onEvent: (event) => {
        setLive((before) => withEvent(before, event));
      },
      onGap: () => {
        setLive((before) => ({ ...before, hasGap: true }));
      },
      onState: (failure) => {
        setLive((before) => ({ ...before, failure }));
      },
    });
    return () => {
      abort.abort();
    };
  }, [isOn, wanted, tenantId, mode]);
  return live;
}

/**
 * The events with one event added at the top. The stream repeats an event when its deliveries change, so an earlier
 * copy is removed.
 */
function withEvent({ events, hasGap, failure }: LiveEvents, event: Event): LiveEvents {
  const all = [event, ...events.filter(({ id }) => id !== event.id)].sort((one, other) =>
    one.id < other.id ? 1 : -1,
  );
  return { events: all.slice(0, kept), hasGap: hasGap || all.length > kept, failure };
}
