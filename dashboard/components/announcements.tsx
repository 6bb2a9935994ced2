import { CircleCheck } from 'lucide';
import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';

import { Icon } from './icon.js';

interface Announcement {
  readonly number: number;
  readonly text: string;
}

const shownMs = 6000;
const Announce = createContext<(text: string) => void>(() => undefined);

/** Shows a short message for some seconds. Screen readers read the message aloud. */
export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}

export function Announcements({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<Announcement | null>(null);
  const announce = useCallback((text: string) => {
    setShown((before) => ({ number: (before?.number ?? 0) + 1, text }));
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => {
      setShown(null);
    }, shownMs);
    return () => {
      clearTimeout(timer);
    };
  }, [shown]);
  return (
    <Announce.Provider value={announce}>
      {children}
      <div class="announcements" role="status">
        {shown !== null && (
          <p key={shown.number} class="announcement">
            <Icon of={CircleCheck} size={18} />
            {shown.text}
          </p>
        )}
      </div>
    </Announce.Provider>
  );
}
