import { nameOfPartition, type TopicPartitionOffset } from '../client/topicPartition.js';

/** The relation of a fetched batch to the earlier position. */
export type Continuation =
  | { readonly kind: 'next' }
  /** The offsets from `expected` on are missing: the log has deleted them, or they contain no records. */
  | { readonly kind: 'later'; readonly expected: number }
  /** The batch is below an offset that this member had committed or read. So the log was replaced. */
  | { readonly kind: 'earlier'; readonly known: number; readonly how: 'committed' | 'read' };

/** The read positions of one member by partition. */
export interface ReadPositions {
  /**
   * To be called after a join. Only commits are retained, because other members may have read the partitions meanwhile.
   */
  join: () => void;
  seek: (position: TopicPartitionOffset) => void;
  commit: (position: TopicPartitionOffset) => void;
  /** Sets the next offset to read. */
  advance: (position: TopicPartitionOffset) => void;
  /** Whether this is exactly the next expected offset. */
  isAt: (position: TopicPartitionOffset) => boolean;
  continuationOf: (position: TopicPartitionOffset) => Continuation;
}

export function createReadPositions(): ReadPositions {
  /** Includes partitions that moved to other members, because committed offsets only rise. */
  const committed = new Map<string, number>();
  /** Reading starts at the committed offset that the broker returns after the join. It is never lower than this one. */
  let committedBeforeJoin = new Map<string, number>();
  let expected = new Map<string, number>();

  return {
    join: () => {
      committedBeforeJoin = new Map(committed);
      expected = new Map();
    },
    seek: (position) => {
      committedBeforeJoin.delete(nameOfPartition(position));
      expected.set(nameOfPartition(position), position.offset);
    },
    commit: (position) => {
      committed.set(nameOfPartition(position), position.offset);
    },
    advance: (position) => {
      expected.set(nameOfPartition(position), position.offset);
    },
    isAt: (position) => expected.get(nameOfPartition(position)) === position.offset,
    continuationOf: (position) => {
      const name = nameOfPartition(position);
      const floor = committedBeforeJoin.get(name) ?? 0;
      if (position.offset < floor) {
        return { kind: 'earlier', known: floor, how: 'committed' };
      }
      const next = expected.get(name) ?? position.offset;
      if (position.offset < next) {
        return { kind: 'earlier', known: next, how: 'read' };
      }
      return position.offset > next ? { kind: 'later', expected: next } : { kind: 'next' };
    },
  };
}
