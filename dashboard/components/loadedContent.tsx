import type { ComponentChildren } from 'preact';

import type { Loaded } from '../api/useLoaded.js';
import { FailureNotice } from './failureNotice.js';
import { Notice } from './notice.js';
import { Time } from './time.js';

interface LoadedContentProps<Value> {
  readonly of: Loaded<Value>;
  /** The placeholder that the component shows before the first load. */
  readonly waiting: ComponentChildren;
  readonly children: (value: Value) => ComponentChildren;
}

/**
 * Loaded content with its placeholder and its failure. A dimmed, disabled outdated value stays until the next value is
 * loaded. If a refresh fails, the content stays, with the time of its response.
 */
export function LoadedContent<Value>({ of, waiting, children }: LoadedContentProps<Value>) {
  const { value, loadedAt, isStale, isOutdated, failure, reload } = of;
  const lastResponse = isOutdated && loadedAt !== null && <LastResponse at={loadedAt} />;
  return (
    <>
      <FailureNotice failure={failure} onRetry={reload}>
        {lastResponse}
      </FailureNotice>
      {failure === null && lastResponse !== false && <Notice kind="warn">{lastResponse}</Notice>}
      {value === null ? (
        failure === null && waiting
      ) : (
        <div class="loaded" aria-busy={isStale} inert={isStale}>
          {children(value)}
        </div>
      )}
    </>
  );
}

function LastResponse({ at }: { readonly at: number }) {
  return (
    <p>
      <strong>The present state is unknown.</strong> The last good response arrived on{' '}
      <Time at={new Date(at).toISOString()} />. The content below shows the state of that time.
    </p>
  );
}
