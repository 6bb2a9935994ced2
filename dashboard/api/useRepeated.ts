import { useEffect } from 'preact/hooks';

/** Runs `work` again and again, while somebody looks at the page; never with null. */
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
