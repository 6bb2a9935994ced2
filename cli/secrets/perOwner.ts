export interface PerOwnerOptions {
  /** How many are worked on at once. */
  readonly lanes: number;
  /** Told how many of how many are done. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Works on some of many things at once. After a failure nothing more is begun.
 * @returns what has come of each, in no order
 * @throws the first failure, once all that was begun has ended
 */
export async function perOwner<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { lanes, onProgress }: PerOwnerOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.push(await work(item));
      onProgress(results.length, items.length);
    }
  };
  onProgress(0, items.length);
  const ends = await Promise.allSettled(
    Array.from({ length: lanes }, () =>
      lane().catch((error: unknown) => {
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
