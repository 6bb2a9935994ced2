import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { failureOf, type RequestFailure } from './failure.js';

export interface Action<Argument> {
  /** Does nothing while it runs: a second click is not a second order. */
  readonly run: (argument: Argument) => void;
  readonly isRunning: boolean;
  /** Why it did not work, until it is tried again. */
  readonly failure: RequestFailure | null;
}

/** Something that the reader orders and that may fail. */
export function useAction<Argument = void>(work: (argument: Argument) => Promise<void>): Action<Argument> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<RequestFailure | null>(null);
  const latest = useRef(work);
  // Known at once: two orders may come before the page is drawn again.
  const isUnderWay = useRef(false);
  // At once, not after the next picture: Enter may follow the last letter within it.
  useLayoutEffect(() => {
    latest.current = work;
  });
  const run = useCallback((argument: Argument) => {
    if (isUnderWay.current) {
      return;
    }
    isUnderWay.current = true;
    setRunning(true);
    setFailure(null);
    latest
      .current(argument)
      .catch((thrown: unknown) => {
        setFailure(failureOf(thrown));
      })
      .finally(() => {
        isUnderWay.current = false;
        setRunning(false);
      });
  }, []);
  return { run, isRunning, failure };
}
