import { createRequire } from 'node:module';

interface Partition {
  readonly topic: string;
  readonly partition: number;
}

interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
}

/** The parts of kafkajs's keeper of fetch positions that the patch uses. */
interface OffsetManager {
  readonly cluster: {
    readonly fetchTopicsOffset: (
      topics: readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number }[];
        readonly fromBeginning: boolean;
      }[],
    ) => Promise<readonly TopicOffsets[]>;
  };
  /** What a fetch starts from when nothing was resolved since: by topic and partition. */
  readonly committedOffsets: () => Record<string, Record<number, string>>;
  readonly clearOffsets: (partition: Partition) => void;
}

interface OffsetManagerClass {
  readonly prototype: OffsetManager & {
    setDefaultOffset: (this: OffsetManager, partition: Partition) => Promise<void>;
  };
}

/**
 * Has a consumer of kafkajs 2.2.4 whose fetch position is out of range continue at the start of the log, without a commit. kafkajs
 * commits the offset -2, which deletes what the group knows of the partition: if the process dies then, the next owner cannot tell
 * that records are missing.
 */
export function patchOutOfRange(): void {
  const load = createRequire(import.meta.url);
  const { prototype } = load('kafkajs/src/consumer/offsetManager/index.js') as OffsetManagerClass;
  prototype.setDefaultOffset = async function continueAtLogStart({ topic, partition }) {
    const starts = await this.cluster.fetchTopicsOffset([
      { topic, partitions: [{ partition }], fromBeginning: true },
    ]);
    const start = starts
      .find((found) => found.topic === topic)
      ?.partitions.find((found) => found.partition === partition);
    if (start === undefined) {
      throw new Error(`the start of partition ${partition} of ${topic} is not known`);
    }
    this.clearOffsets({ topic, partition });
    const offsets = this.committedOffsets();
    offsets[topic] = { ...offsets[topic], [partition]: start.offset };
  };
}
