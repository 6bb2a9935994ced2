import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

/** Whether the user came from another view of the page. */
export const HasMoved = createContext(false);

interface ViewFrameProps {
  readonly title: string;
  readonly lede?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The link to the view above. */
  readonly back?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
}

/** The frame of each view. Its heading gets the focus, so that screen readers announce the new view. */
export function ViewFrame({ title, lede, actions, back, children }: ViewFrameProps) {
  const hasMoved = useContext(HasMoved);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasMoved) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
      // A host page makes the frame as tall as its content, so only the host page scrolls.
      heading.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [hasMoved]);
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          {back !== undefined && (
            <a class="page-back" href={back.href}>
              {back.text}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1} class="breakable">
            {title}
          </h1>
          {lede !== undefined && <div class="page-lede">{lede}</div>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
