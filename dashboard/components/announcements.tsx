import { CircleCheck } from 'lucide';
import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';

import { Icon } from './icon.js';
import { followVisibleArea } from './visibleArea.js';

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
  const place = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      shown === null
        ? undefined
        : followVisibleArea(({ bottom }) => {
            place.current?.style.setProperty('inset-block', `${bottom}px auto`);
            place.current?.style.setProperty('translate', '0 calc(-100% - 1rem)');
          }),
    [shown],
  );
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
      <div class="announcements" role="status" ref={place}>
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
