import { createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

/** Whether the user came from another page of the dashboard. */
export const Moved = createContext<() => boolean>(() => false);

/** The fragment of an address whose page gives the focus to its search field, and not to its heading. */
export const searchFragment = '#search';

/** The number of webhooks whose trouble began while the tab was open, which the title of the tab shows. */
export const TitleBadge = createContext(0);

/** Moves the focus to the heading of the page, before the focused element is removed. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/**
 * Sets the document title and moves the focus to the heading of the page. Screen readers then announce the page, as
 * after a full page load.
 * @param turn a value that changes when the page shows other content, such as the next page of a list
 */
export function usePageHeading(title: string, turn = ''): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const shownTurn = useRef(turn);
  const hasMoved = useContext(Moved);
  const badge = useContext(TitleBadge);
  useEffect(() => {
    document.title = `${badge === 0 ? '' : `(${badge}) `}${title} · Postrider`;
  }, [title, badge]);
  useEffect(() => {
    if (hasMoved() || shownTurn.current !== turn) {
      shownTurn.current = turn;
      if (location.hash !== searchFragment) {
        heading.current?.focus({ preventScroll: true });
      }
      window.scrollTo({ top: 0 });
    }
  }, [hasMoved, turn]);
  return heading;
}
