import { nameOfPartition, type TopicPartitionOffset } from '../client/topicPartition.js';

/** How the begin of a fetched batch relates to the expected read position. */
export type Continuation =
  | { readonly kind: 'next' }
  /**
   * The batch begins after the offset `expected`. The log has deleted the records between the two offsets, or no record
   * is between them.
   */
  | { readonly kind: 'later'; readonly expected: number }
  /** The batch begins below an offset that this member has committed or read, so the log was replaced. */
  | { readonly kind: 'earlier'; readonly known: number; readonly how: 'committed' | 'read' };

/** The read positions of one group member by partition. */
export interface ReadPositions {
  /**
   * Must be called after each join, and when the group has removed the member. Only committed offsets are retained, because other members may have read the
   * partitions before the join.
   */
  join: () => void;
  seek: (position: TopicPartitionOffset) => void;
  commit: (position: TopicPartitionOffset) => void;
  /** Sets the next offset to read. */
  advance: (position: TopicPartitionOffset) => void;
  /** Whether a position is exactly the next expected offset. */
  isAt: (position: TopicPartitionOffset) => boolean;
  continuationOf: (position: TopicPartitionOffset) => Continuation;
}

export function createReadPositions(): ReadPositions {
  /**
   * The committed offsets by partition, including partitions that moved to other members. A committed offset never
   * decreases.
   */
  const committed = new Map<string, number>();
  /**
   * The committed offsets before the last join. After the join, reading starts at the committed offset, which is never
   * lower than before the join.
   */
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
