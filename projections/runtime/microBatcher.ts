/** Processes an item together with other items that arrive at the same time. */
export type MicroBatcher<Item> = (item: Item) => Promise<void>;

export interface MicroBatcherSettings<Item> {
  /** Processes all items of a batch, or throws. If `process` throws, each item of the batch has failed. */
  readonly process: (items: readonly Item[]) => Promise<void>;
  readonly sizeOf: (item: Item) => number;
  /** The largest size of a batch, except for a single larger item. */
  readonly maximumSize: number;
  /** Items with the same key are processed in their order, and never in two batches at a time. */
  readonly orderingKey?: (item: Item) => unknown;
  /** How many batches may be in flight; one by default. A further batch starts in parallel only if it is full. */
  readonly maximumConcurrentBatches?: number;
}

interface PendingItem<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Batches all items that have arrived while the previous batch was in flight. Under load batches grow, and each batch
 * costs the same number of round trips. Items that arrive in one turn of the event loop share a batch. If more items
 * are pending than one batch takes, batches run in parallel.
 */
export function createMicroBatcher<Item>({
  process,
  sizeOf,
  maximumSize,
  orderingKey = () => null,
  maximumConcurrentBatches = 1,
}: MicroBatcherSettings<Item>): MicroBatcher<Item> {
  let pending: readonly PendingItem<Item>[] = [];
  let concurrentBatches = 0;
  let isScheduled = false;
  const busyKeys = new Set<unknown>();

  const startableItems = () => pending.filter(({ item }) => !busyKeys.has(orderingKey(item)));

  const isFull = (items: readonly PendingItem<Item>[]) =>
    items.reduce((size, { item }) => size + sizeOf(item), 0) >= maximumSize;

  const takeBatch = (startable: readonly PendingItem<Item>[]): readonly PendingItem<Item>[] => {
    let size = 0;
    const count = startable.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > maximumSize;
    });
    return count === -1 ? startable : startable.slice(0, count);
  };

  const processBatch = async (batch: readonly PendingItem<Item>[]) => {
    const keys = batch.map(({ item }) => orderingKey(item));
    keys.forEach((key) => busyKeys.add(key));
    concurrentBatches += 1;
    try {
      await process(batch.map(({ item }) => item));
      batch.forEach(({ done }) => {
        done();
      });
    } catch (error) {
      batch.forEach(({ failed }) => {
        failed(error);
      });
    }
    concurrentBatches -= 1;
    keys.forEach((key) => busyKeys.delete(key));
    startBatches();
  };

  const canStart = (startable: readonly PendingItem<Item>[]) =>
    concurrentBatches === 0
      ? startable.length > 0
      : concurrentBatches < maximumConcurrentBatches && isFull(startable);

  const startBatches = () => {
    isScheduled = false;
    for (let startable = startableItems(); canStart(startable); startable = startableItems()) {
      const batch = takeBatch(startable);
      pending = pending.filter((one) => !batch.includes(one));
      void processBatch(batch);
    }
  };

  return (item) =>
    new Promise((done, failed) => {
      pending = [...pending, { item, done, failed }];
      if (!isScheduled) {
        isScheduled = true;
        setImmediate(startBatches);
      }
    });
}
