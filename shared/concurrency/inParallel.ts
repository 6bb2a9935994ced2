/**
 * Runs work for all items, with a limited number of items at once. A failure does not stop the work for other items.
 * @throws the first failure, after all work has ended
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  maximum: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: maximum }, worker));
  if (failures.length > 0) {
    throw failures[0];
  }
}
