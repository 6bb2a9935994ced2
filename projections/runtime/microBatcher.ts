/** Does pieces of work together where they come while others are under way. */
export type MicroBatcher<Item> = (item: Item) => Promise<void>;

export interface MicroBatcherSettings<Item> {
  /** Does all of it or throws: each of the items has then failed. */
  readonly workOn: (items: readonly Item[]) => Promise<void>;
  readonly sizeOf: (item: Item) => number;
  /** No more of this size is begun together, but for a single item that is larger. */
  readonly maximumSize: number;
  /** Items with the same are worked on in their order, and never in two rounds at once. */
  readonly orderedBy?: (item: Item) => unknown;
  /** How many rounds may be under way; one by default. Another is begun beside the first only where it would be a full one. */
  readonly maximumRounds?: number;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Rounds of work, each with all that has come meanwhile: under load rounds grow, and each costs the same round trips however much
 * it holds. What comes in one turn of the event loop begins together. Where more waits than one round takes, rounds go on beside
 * each other.
 */
export function createMicroBatcher<Item>({
  workOn,
  sizeOf,
  maximumSize,
  orderedBy = () => null,
  maximumRounds = 1,
}: MicroBatcherSettings<Item>): MicroBatcher<Item> {
  let waiting: readonly Waiting<Item>[] = [];
  let rounds = 0;
  let isBegun = false;
  const busy = new Set<unknown>();

  const free = () => waiting.filter(({ item }) => !busy.has(orderedBy(item)));

  const isFull = (round: readonly Waiting<Item>[]) =>
    round.reduce((size, { item }) => size + sizeOf(item), 0) >= maximumSize;

  const firstOf = (startable: readonly Waiting<Item>[]): readonly Waiting<Item>[] => {
    let size = 0;
    const count = startable.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > maximumSize;
    });
    return count === -1 ? startable : startable.slice(0, count);
  };

  const workOff = async (round: readonly Waiting<Item>[]) => {
    const orders = round.map(({ item }) => orderedBy(item));
    orders.forEach((order) => busy.add(order));
    rounds += 1;
    try {
      await workOn(round.map(({ item }) => item));
      round.forEach(({ done }) => {
        done();
      });
    } catch (error) {
      round.forEach(({ failed }) => {
        failed(error);
      });
    }
    rounds -= 1;
    orders.forEach((order) => busy.delete(order));
    beginRounds();
  };

  const beginRounds = () => {
    isBegun = false;
    for (;;) {
      const startable = free();
      const isNeeded = rounds === 0 ? startable.length > 0 : rounds < maximumRounds && isFull(startable);
      if (!isNeeded) {
        return;
      }
      const round = firstOf(startable);
      waiting = waiting.filter((one) => !round.includes(one));
      void workOff(round);
    }
  };

  return (item) =>
    new Promise((done, failed) => {
      waiting = [...waiting, { item, done, failed }];
      if (!isBegun) {
        isBegun = true;
        setImmediate(beginRounds);
      }
    });
}
