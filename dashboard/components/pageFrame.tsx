import type { ComponentChildren } from 'preact';

import { usePageHeading } from '../navigation/usePageHeading.js';

interface PageFrameProps {
  readonly title: string;
  /** The content of the page's heading, if the heading contains more than text. */
  readonly heading?: ComponentChildren;
  readonly lede?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The link to the parent page. */
  readonly back?: { readonly href: string; readonly text: string };
  /** The page number of a list. A new page number moves the focus to the heading. */
  readonly turn?: string;
  readonly children: ComponentChildren;
}

/** The frame of each page: one heading, its actions and its content. */
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
