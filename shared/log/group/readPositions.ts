import { nameOfPartition, type TopicPartitionOffset } from '../client/topicPartition.js';

/** How a fetched batch stands to what was read before it. */
export type Continuation =
  | { readonly kind: 'next' }
  /** Offsets from `expected` on are missing: the log has deleted them, or they hold no records. */
  | { readonly kind: 'later'; readonly expected: number }
  /** It lies below an offset that this member had committed, or read up to: the log is not what it was. */
  | { readonly kind: 'earlier'; readonly known: number; readonly how: 'committed' | 'read' };

/** Where one member's reading stands in each of its partitions. */
export interface ReadPositions {
  /** After a join only commits are known: other members may have read on meanwhile. */
  join: () => void;
  seek: (position: TopicPartitionOffset) => void;
  commit: (position: TopicPartitionOffset) => void;
  /** Reading goes on at this offset. */
  advance: (position: TopicPartitionOffset) => void;
  /** Whether reading is expected to go on exactly here. */
  isAt: (position: TopicPartitionOffset) => boolean;
  continuationOf: (position: TopicPartitionOffset) => Continuation;
}

export function createReadPositions(): ReadPositions {
  /** Also of partitions that went to others: commits only rise. */
  const committed = new Map<string, number>();
  /** Reading begins at what is committed when the broker is asked for it, after the join: no earlier than this. */
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
