/**
 * Work of which one run is in flight at a time. A caller that comes during a run gets the result of that run, so the result may be
 * slightly older than the call.
 */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | null = null;
  return () => {
    inFlight ??= work().finally(() => {
      inFlight = null;
    });
    return inFlight;
  };
}
