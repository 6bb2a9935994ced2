import { RotateCw } from 'lucide';
import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';

import type { RequestFailure } from '../api/failure.js';
import { Button } from './button.js';
import { Notice } from './notice.js';

interface FailureNoticeProps {
  readonly failure: RequestFailure | null;
  /** The action that retries the request, if a retry may succeed. */
  readonly onRetry?: () => void;
  /** More text of the notice. */
  readonly children?: ComponentChildren;
}

/** What a page calls a failure instead of the message of the API, by the code of the error. */
export type FailureTexts = Readonly<Record<string, string>>;

/** The texts of a page of its own, which come before those that all pages have. */
export const OwnFailureTexts = createContext<FailureTexts>({});

const commonTexts: FailureTexts = {
  credentials_invalid: 'The email address or the password is wrong.',
  rate_limit_exceeded: 'The service received too many requests. Wait a few seconds, then try again.',
  service_unavailable: 'The service is temporarily unavailable. No data is lost. Try again in a moment.',
};

/** The statuses of failures that a retry cannot change. */
const lasting: ReadonlySet<number> = new Set([403, 404]);

/** A notice of a failure and what to do about it. Without a failure the component renders nothing. */
export function FailureNotice({ failure, onRetry, children }: FailureNoticeProps) {
  const ownTexts = useContext(OwnFailureTexts);
  if (failure === null) {
    return null;
  }
  return (
    <Notice
      kind="bad"
      actions={
        onRetry !== undefined &&
        !lasting.has(failure.status) && (
          <Button icon={RotateCw} onClick={onRetry} isSmall>
            Try again
          </Button>
        )
      }
    >
      <p>{ownTexts[failure.code] ?? commonTexts[failure.code] ?? failure.message}</p>
      {children}
      {failure.requestId !== null && (
        <p class="quiet small">
          Request <code class="breakable">{failure.requestId}</code>
        </p>
      )}
    </Notice>
  );
}
