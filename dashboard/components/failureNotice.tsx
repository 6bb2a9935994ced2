import { RotateCw } from 'lucide';

import type { RequestFailure } from '../api/failure.js';
import { Button } from './button.js';
import { Notice } from './notice.js';

interface FailureNoticeProps {
  readonly failure: RequestFailure | null;
  /** Where trying again may help. */
  readonly onRetry?: () => void;
}

const words: Readonly<Record<string, string>> = {
  credentials_invalid: 'This e-mail and password do not belong together.',
  rate_limit_exceeded: 'Too many requests at the moment. Wait a few seconds, then try again.',
  service_unavailable: 'The service cannot answer right now. Nothing is lost; try again in a moment.',
};

/** Answers that stay what they are however often one asks. */
const lasting: ReadonlySet<number> = new Set([403, 404]);

/** What went wrong, and what to do now. Nothing where nothing did. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps) {
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
      <p>{words[failure.code] ?? failure.message}</p>
      {failure.requestId !== null && (
        <p class="quiet small">
          Request <code class="breakable">{failure.requestId}</code>
        </p>
      )}
    </Notice>
  );
}
