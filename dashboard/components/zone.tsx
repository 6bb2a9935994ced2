import { createContext, type ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';

import { createTimeTexts, type TimeTexts, type ZoneName } from './timeZone.js';

const key = 'postrider.zone';

interface ZoneChoice {
  readonly texts: TimeTexts;
  readonly choose: (zone: ZoneName) => void;
}

const Zone = createContext<ZoneChoice | null>(null);

/** Provides the time zone that the user has selected in this browser. */
export function ZoneProvider({ children }: { readonly children: ComponentChildren }) {
  const [zone, setZone] = useState(storedZone);
  const choice = useMemo(
    () => ({
      texts: createTimeTexts(zone),
      choose: (chosen: ZoneName) => {
        storeZone(chosen);
        setZone(chosen);
      },
    }),
    [zone],
  );
  return <Zone.Provider value={choice}>{children}</Zone.Provider>;
}

export function useZone(): ZoneChoice {
  const choice = useContext(Zone);
  if (choice === null) {
    throw new Error('The time zone is only available inside its provider.');
  }
  return choice;
}

/** The texts of times in the time zone of the user's choice. */
export function useTimeTexts(): TimeTexts {
  return useZone().texts;
}

function storedZone(): ZoneName {
  try {
    return localStorage.getItem(key) === 'utc' ? 'utc' : 'local';
  } catch {
    // Some browsers block storage in private windows.
    return 'local';
  }
}

function storeZone(zone: ZoneName): void {
  try {
    localStorage.setItem(key, zone);
  } catch {
    // Without storage, the selected time zone lasts until the page is closed.
  }
}
