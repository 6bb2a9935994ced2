import type { ComponentChildren } from 'preact';

import type { Loaded } from '../api/useLoaded.js';
import { FailureNotice } from './failureNotice.js';

interface LoadedContentProps<Value> {
  readonly of: Loaded<Value>;
  /** The placeholder that the component shows before the first load. */
  readonly waiting: ComponentChildren;
  readonly children: (value: Value) => ComponentChildren;
}

/**
 * Loaded content with its placeholder and its failure. A dimmed, disabled outdated value stays until the next value is
 * loaded.
 */
export function LoadedContent<Value>({ of, waiting, children }: LoadedContentProps<Value>) {
  const { value, isStale, failure, reload } = of;
  return (
    <>
      <FailureNotice failure={failure} onRetry={reload} />
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
