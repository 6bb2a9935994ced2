import { useCallback, useState } from 'preact/hooks';

import { useMode } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';

/** The most events of a replay with event ids (POST /v1/replays). */
export const mostChosen = 500;

/** The events that the user has selected for a resend, on any page of the list. */
export interface EventSelection {
  /** Whether the user may resend events. In test mode the service delivers no events. */
  readonly maySelect: boolean;
  readonly chosen: ReadonlySet<string>;
  /** Adds events to the selection or removes them. Events beyond the limit are not added. */
  readonly choose: (ids: readonly string[], isChosen: boolean) => void;
  readonly clear: () => void;
}

export function useSelection(): EventSelection {
  const isLive = useMode() === 'live';
  const maySelect = useMay('developer') && isLive;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback((ids: readonly string[], isChosen: boolean) => {
    setChosen((before) =>
      isChosen
        ? new Set([...before, ...ids].slice(0, mostChosen))
        : new Set([...before].filter((id) => !ids.includes(id))),
    );
  }, []);
  const clear = useCallback(() => {
    setChosen(new Set());
  }, []);
  return { maySelect, chosen, choose, clear };
}
