import { useEffect, useState } from 'preact/hooks';

import { refreshDelayMs, outdatedAfterMs } from './refreshDelay.js';
import { useLoaded, type Load, type Loaded } from './useLoaded.js';

/**
 * The result of `load`, which is loaded again periodically. The next load begins only after the last load has ended.
 * Failed and slow loads extend the interval. In a hidden tab the loads pause until the tab is visible.
 * @param periodOf the interval of loads in milliseconds, or null if the value needs no further load
 */
export function useRefreshed<Value>(
  load: Load<Value>,
  periodOf: (value: Value | null) => number | null,
): Loaded<Value> {
  const loaded = useLoaded(load);
  const { value, loadedAt, isLoading, failures, tookMs, reload } = loaded;
  const everyMs = periodOf(value);
  useEffect(() => {
    if (everyMs === null || isLoading) {
      return undefined;
    }
    return whenVisibleAfter(refreshDelayMs({ everyMs, failures, tookMs }), reload);
  }, [everyMs, isLoading, failures, tookMs, loadedAt, reload]);
  const isLate = useIsLate(loadedAt, everyMs);
  const isSlow = useIsSlow(everyMs !== null && value !== null && isLoading);
  return { ...loaded, isOutdated: loaded.isOutdated || isLate || isSlow };
}

/** Runs `work` after a delay, or as soon as the tab is visible again. */
function whenVisibleAfter(delayMs: number, work: () => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  const timer = setTimeout(() => {
    if (!document.hidden) {
      work();
      return;
    }
    const show = () => {
      if (!document.hidden) {
        end.abort();
        work();
      }
    };
    document.addEventListener('visibilitychange', show, { signal });
  }, delayMs);
  return () => {
    clearTimeout(timer);
    end.abort();
  };
}

/** The time of a load in flight after which the service may be unavailable, in milliseconds. */
const slowMs = 10_000;

/** Whether the load in flight takes so long that the service may be unavailable. */
function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!isLoading) {
      return undefined;
    }
    const timer = setTimeout(() => {
      setSlow(true);
    }, slowMs);
    return () => {
      clearTimeout(timer);
    };
  }, [isLoading]);
  return isSlow;
}

/** Whether the value is so old that the page must not present it as the present state. */
function useIsLate(loadedAt: number | null, everyMs: number | null): boolean {
  const [lateAt, setLateAt] = useState<number | null>(null);
  useEffect(() => {
    if (loadedAt === null || everyMs === null) {
      return undefined;
    }
    const timer = setTimeout(
      () => {
        setLateAt(loadedAt);
      },
      loadedAt + outdatedAfterMs(everyMs) - Date.now(),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [loadedAt, everyMs]);
  return everyMs !== null && lateAt !== null && lateAt === loadedAt;
}
