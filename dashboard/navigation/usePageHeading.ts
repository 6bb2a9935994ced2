import { createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

/** Whether the reader has come here from another place of the page, rather than from outside. */
export const Moved = createContext<() => boolean>(() => false);

/** Takes the focus to where a page begins, from something that is about to be gone. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/**
 * Names the document after the page, and moves the focus to its heading, as a new document would: who listens to the
 * page hears where they are.
 * @param turn changes where the page shows something else as a new document would, such as the next page of a list
 */
export function usePageHeading(title: string, turn = ''): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const shownTurn = useRef(turn);
  const hasMoved = useContext(Moved);
  useEffect(() => {
    document.title = `${title} · Postrider`;
  }, [title]);
  useEffect(() => {
    if (hasMoved() || shownTurn.current !== turn) {
      shownTurn.current = turn;
      heading.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
  }, [hasMoved, turn]);
  return heading;
}
