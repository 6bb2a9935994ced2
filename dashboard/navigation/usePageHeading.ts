import { createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

/** Whether the reader has come here from another place of the page, rather than from outside. */
export const Moved = createContext<() => boolean>(() => false);

/**
 * Names the document after the page, and moves the focus to its heading, as a new document would: who listens to the
 * page hears where they are.
 */
export function usePageHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasMoved = useContext(Moved);
  useEffect(() => {
    document.title = `${title} · Postrider`;
  }, [title]);
  useEffect(() => {
    if (hasMoved()) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
  }, [hasMoved]);
  return heading;
}
