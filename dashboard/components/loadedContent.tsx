import type { ComponentChildren } from 'preact';

import type { Loaded } from '../api/useLoaded.js';
import { FailureNotice } from './failureNotice.js';

interface LoadedContentProps<Value> {
  readonly of: Loaded<Value>;
  /** In its place until it has come. */
  readonly waiting: ComponentChildren;
  readonly children: (value: Value) => ComponentChildren;
}

/**
 * Something that is loaded: before, when it has come, and when it does not come. What is no longer asked for stays until the
 * next has come, dimmed and out of reach.
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
