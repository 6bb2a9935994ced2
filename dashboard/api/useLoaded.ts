import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { failureOf, type RequestFailure } from './failure.js';

export type Load<Value> = (signal: AbortSignal) => Promise<Value>;

export interface Loaded<Value> {
  /**
   * The loaded value, or null before the first load. The value stays during a reload, even by another load function.
   */
  readonly value: Value | null;
  /** The time of the response that contained the value, in milliseconds since 1970, or null before the first load. */
  readonly loadedAt: number | null;
  /** Whether an earlier load function has loaded the value. */
  readonly isStale: boolean;
  /** Whether the value may no longer be true: the last load failed, or the next response is late. */
  readonly isOutdated: boolean;
  /** The reason why the last load failed. A value that was loaded earlier is retained. */
  readonly failure: RequestFailure | null;
  /** Loads the value again. During a load, the next load begins when the load in flight has ended. */
  readonly reload: () => void;
}

/** A loaded value with the progress of its loads, on which the time of the next refresh depends. */
export interface Loading<Value> extends Loaded<Value> {
  readonly isLoading: boolean;
  /** The number of failed loads since the last success. */
  readonly failures: number;
  /** The duration of the last load in milliseconds. */
  readonly tookMs: number;
}

interface LoadState<Value> {
  readonly load: Load<Value> | null;
  readonly value: Value | null;
  readonly loadedAt: number | null;
  readonly failure: RequestFailure | null;
  readonly failures: number;
  readonly tookMs: number;
  readonly isLoading: boolean;
}

/**
 * The result of `load` for a component. If `useCallback` creates another load function because its inputs have changed,
 * a new load starts and the earlier load is aborted. A reload never aborts a load, because slow responses would then
 * never arrive.
 */
export function useLoaded<Value>(load: Load<Value>): Loading<Value> {
  const [outcome, setOutcome] = useState<LoadState<Value>>(nothingLoaded);
  const start = useRef<() => void>(() => undefined);
  useEffect(() => {
    const abort = new AbortController();
    const run = createRun(load, abort.signal, setOutcome);
    start.current = run;
    run();
    return () => {
      abort.abort();
    };
  }, [load]);
  const reload = useCallback(() => {
    start.current();
  }, []);
  const isCurrent = outcome.load === load;
  const { value, loadedAt, failures, tookMs } = outcome;
  const failure = isCurrent ? outcome.failure : null;
  return {
    value,
    loadedAt,
    isStale: !isCurrent && value !== null,
    isOutdated: failure !== null,
    failure,
    isLoading: !isCurrent || outcome.isLoading,
    failures,
    tookMs,
    reload,
  };
}

const nothingLoaded = {
  load: null,
  value: null,
  loadedAt: null,
  failure: null,
  failures: 0,
  tookMs: 0,
  isLoading: true,
};

type Change<Value> = (change: (before: LoadState<Value>) => LoadState<Value>) => void;

/** A function that starts a load, or queues one load during the load in flight. */
function createRun<Value>(load: Load<Value>, signal: AbortSignal, change: Change<Value>): () => void {
  let isRunning = false;
  let isQueued = false;
  const end = (result: (before: LoadState<Value>) => Partial<LoadState<Value>>, startedAt: number) => {
    isRunning = false;
    if (signal.aborted) {
      return;
    }
    const tookMs = Date.now() - startedAt;
    change((before) => ({ ...before, load, tookMs, isLoading: false, ...result(before) }));
    if (isQueued) {
      isQueued = false;
      run();
    }
  };
  const run = () => {
    if (isRunning) {
      isQueued = true;
      return;
    }
    isRunning = true;
    const startedAt = Date.now();
    change((before) => (before.load === load ? { ...before, isLoading: true } : before));
    load(signal).then(
      (value) => {
        end(() => ({ value, loadedAt: Date.now(), failure: null, failures: 0 }), startedAt);
      },
      (thrown: unknown) => {
        end((before) => failed(before, load, failureOf(thrown)), startedAt);
      },
    );
  };
  return run;
}

/** The outcome after a failure. Only a value of the same load function is retained. */
function failed<Value>(
  before: LoadState<Value>,
  load: Load<Value>,
  failure: RequestFailure,
): Partial<LoadState<Value>> {
  return before.load === load
    ? { failure, failures: before.failures + 1 }
    : { failure, failures: 1, value: null, loadedAt: null };
}
