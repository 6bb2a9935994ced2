import type { Disturbance } from './disturbance.js';

/** Keeps so many reads of a slow list in flight, and repeats each when it is answered. */
export function repeatList(
  url: string,
  headers: Readonly<Record<string, string>>,
  atOnce: number,
): Disturbance {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async () => {
    while (!signal.aborted) {
      const response = await fetch(url, { headers, signal });
      await response.arrayBuffer();
    }
  };
  const readers = Array.from({ length: atOnce }, () =>
    repeat().catch((error: unknown) => {
      if (!signal.aborted) {
        throw error;
      }
    }),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(readers);
    },
  };
}
