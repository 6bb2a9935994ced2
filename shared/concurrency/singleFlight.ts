/**
 * A function whose work has one run in flight at a time. A call during a run gets the result of the current run, so the
 * result may be slightly older than the call.
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
