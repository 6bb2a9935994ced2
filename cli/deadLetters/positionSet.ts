import type { RecordPosition } from '../../shared/log/encoding/record.js';

type RecordOffset = Pick<RecordPosition, 'partition' | 'offset'>;

/** A set of positions in one topic. A million positions take about 40 MB, and nothing else of a dead letter is kept. */
export interface PositionSet {
  readonly size: number;
  add: (place: RecordOffset) => void;
  has: (place: RecordOffset) => boolean;
  delete: (place: RecordOffset) => void;
  positions: () => Iterable<RecordOffset>;
}

export function createPositionSet(): PositionSet {
  const offsets = new Map<number, Set<number>>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    add: ({ partition, offset }) => {
      const own = offsets.get(partition) ?? new Set();
      offsets.set(partition, own);
      size += own.has(offset) ? 0 : 1;
      own.add(offset);
    },
    has: ({ partition, offset }) => offsets.get(partition)?.has(offset) ?? false,
    delete: ({ partition, offset }) => {
      size -= offsets.get(partition)?.delete(offset) === true ? 1 : 0;
    },
    *positions() {
      for (const [partition, own] of offsets) {
        for (const offset of own) {
          yield { partition, offset };
        }
      }
    },
  };
}
