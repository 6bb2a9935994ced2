import type { ComponentChildren } from 'preact';

import { usePageHeading } from '../navigation/usePageHeading.js';

interface PageFrameProps {
  readonly title: string;
  /** In the place of the title's text, where it is more than text. */
  readonly heading?: ComponentChildren;
  readonly lede?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The page above this one. */
  readonly back?: { readonly href: string; readonly text: string };
  /** Which page of a list it is: the next one begins at the heading again. */
  readonly turn?: string;
  readonly children: ComponentChildren;
}

/** What every page has: one heading, what can be done here, and its content. */
export function PageFrame(props: PageFrameProps) {
  const { title, heading, lede, actions, back, turn, children } = props;
  const element = usePageHeading(title, turn);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {back !== undefined && (
            <a class="page-back" href={back.href}>
              {back.text}
            </a>
          )}
          <h1 ref={element} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lede !== undefined && <div class="page-lede">{lede}</div>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
