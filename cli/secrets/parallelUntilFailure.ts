export interface ParallelOptions {
  readonly concurrency: number;
  /** Receives the number of finished items and the total. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Processes many items, some of them in parallel. After a failure no further item is started.
 * @returns the results, in no particular order
 * @throws the first failure, after all started items have ended
 */
export async function parallelUntilFailure<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { concurrency, onProgress }: ParallelOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.push(await work(item));
      onProgress(results.length, items.length);
    }
  };
  onProgress(0, items.length);
  const ends = await Promise.allSettled(
    Array.from({ length: concurrency }, () =>
      worker().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return results;
}
