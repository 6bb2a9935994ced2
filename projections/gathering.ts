/** Does pieces of work together where they come while others are under way. */
export type Gather<Item> = (item: Item) => Promise<void>;

export interface GatheringSettings<Item> {
  /** Does all of it or throws: each of the items has then failed. */
  readonly workOn: (items: readonly Item[]) => Promise<void>;
  readonly sizeOf: (item: Item) => number;
  /** No more of this size is begun together, but for a single item that is larger. */
  readonly maximumSize: number;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * One round of work at a time, each with all that has come meanwhile: under load rounds grow, and each costs the same
 * round trips however much it holds. What comes in one turn of the event loop begins together.
 */
export function createGathering<Item>({
  workOn,
  sizeOf,
  maximumSize,
}: GatheringSettings<Item>): Gather<Item> {
  let waiting: readonly Waiting<Item>[] = [];
  let working = false;

  const takeRound = (): readonly Waiting<Item>[] => {
    let size = 0;
    const count = waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > maximumSize;
    });
    const round = count === -1 ? waiting : waiting.slice(0, count);
    waiting = waiting.slice(round.length);
    return round;
  };

  const workOff = async () => {
    while (waiting.length > 0) {
      const round = takeRound();
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
    }
    working = false;
  };

  return (item) =>
    new Promise((done, failed) => {
      waiting = [...waiting, { item, done, failed }];
      if (!working) {
        working = true;
        setImmediate(() => void workOff());
      }
    });
}
