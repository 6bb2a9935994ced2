import type { ComponentChildren } from 'preact';

import { CopyButton } from './copyButton.js';
import { Notice } from './notice.js';

interface SecretOnceProps {
  readonly secret: string;
  /** What it is: `API key`, `signing secret`. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

/** A secret that is shown this once. */
export function SecretOnce({ secret, what, children }: SecretOnceProps) {
  return (
    <div class="secret">
      <Notice kind="warn">
        <p>
          <strong>Copy it now.</strong> The {what} is shown this once, and cannot be shown again.
        </p>
      </Notice>
      <div class="secret-line">
        <code class="secret-text">{secret}</code>
        <CopyButton text={secret} what={what} isLabeled />
      </div>
      {children}
    </div>
  );
}
