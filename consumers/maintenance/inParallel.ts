/**
 * Works on all items, a bounded number of them at once. A failure does not keep the other items from their turn.
 * @throws the first failure, after all work has ended
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  engine: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      await engine(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) {
    throw failures[0];
  }
}
