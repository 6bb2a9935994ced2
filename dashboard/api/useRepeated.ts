import { useEffect } from 'preact/hooks';

/** Runs `work` periodically while the page is visible, or never if the period is null. */
export function useRepeated(work: () => void, everyMs: number | null): void {
  useEffect(() => {
    if (everyMs === null) {
      return undefined;
    }
    const timer = setInterval(() => {
      if (!document.hidden) {
        work();
      }
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [work, everyMs]);
}
