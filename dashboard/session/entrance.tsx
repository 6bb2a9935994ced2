import type { ComponentChildren } from 'preact';

import { Mark } from '../components/mark.js';
import { usePageHeading } from '../navigation/usePageHeading.js';

/** The frame of the pages before the sign-in. */
export function Entrance({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const heading = usePageHeading(title);
  return (
    <main class="entrance">
      <Mark />
      <div class="card entrance-card">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
      <p class="entrance-foot">
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}
