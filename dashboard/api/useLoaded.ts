import { useCallback, useEffect, useState } from 'preact/hooks';

import { failureOf, type RequestFailure } from './failure.js';

export type Load<Value> = (signal: AbortSignal) => Promise<Value>;

export interface Loaded<Value> {
  /**
   * The loaded value, or null before the first load. The value stays during a reload, even by another load function.
   */
  readonly value: Value | null;
  /** Whether an earlier load function has loaded the value. */
  readonly isStale: boolean;
  /** The reason why the last load failed. A value that was loaded earlier is retained. */
  readonly failure: RequestFailure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface Outcome<Value> {
  readonly load: Load<Value> | null;
  readonly turn: number;
  readonly value: Value | null;
  readonly failure: RequestFailure | null;
}

/**
 * The result of `load` for a component. If `useCallback` creates another load function because its inputs have changed,
 * a new load starts and the earlier load is aborted.
 */
export function useLoaded<Value>(load: Load<Value>): Loaded<Value> {
  const [turn, setTurn] = useState(0);
  const [outcome, setOutcome] = useState<Outcome<Value>>({ load: null, turn, value: null, failure: null });
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) {
          setOutcome({ load, turn, value, failure: null });
        }
      },
      (thrown: unknown) => {
        if (!abort.signal.aborted) {
          const failure = failureOf(thrown);
          setOutcome((before) => ({
            load,
            turn,
            value: before.load === load ? before.value : null,
            failure,
          }));
        }
      },
    );
    return () => {
      abort.abort();
    };
  }, [load, turn]);
  const reload = useCallback(() => {
    setTurn((before) => before + 1);
  }, []);
  const isCurrent = outcome.load === load;
  return {
    value: outcome.value,
    isStale: !isCurrent && outcome.value !== null,
    failure: isCurrent ? outcome.failure : null,
    isLoading: !isCurrent || outcome.turn !== turn,
    reload,
  };
}
