import type { ComponentChildren } from 'preact';

import { CopyButton } from './copyButton.js';
import { Notice } from './notice.js';

interface SecretOnceProps {
  readonly secret: string;
  /** The name of the secret, such as `API key` or `signing secret`. */
  readonly what: string;
  readonly children?: ComponentChildren;
}

export function SecretOnce({ secret, what, children }: SecretOnceProps) {
  return (
    <div class="secret">
      <Notice kind="warn">
        <p>
          <strong>Copy the {what} now.</strong> It is shown only once.
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
