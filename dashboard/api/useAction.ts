import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { failureOf, type RequestFailure } from './failure.js';

export interface Action<Argument> {
  /** Runs the action. During a run, further calls do nothing, so a second click has no effect. */
  readonly run: (argument: Argument) => void;
  readonly isRunning: boolean;
  /** The reason why the last run of the action failed, or null after the next run starts. */
  readonly failure: RequestFailure | null;
}

/** An action of the user that may fail. */
export function useAction<Argument = void>(work: (argument: Argument) => Promise<void>): Action<Argument> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<RequestFailure | null>(null);
  const latest = useRef(work);
  // The flag is a ref instead of state, because two clicks may precede the next rendering.
  const isUnderWay = useRef(false);
  // The action is a ref instead of state, because Enter may follow the last character before the next rendering.
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
