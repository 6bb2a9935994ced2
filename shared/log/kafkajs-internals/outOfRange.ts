import { createRequire } from 'node:module';

interface Partition {
  readonly topic: string;
  readonly partition: number;
}

interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
}

/** The members of kafkajs's offset manager that the patch uses. */
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
  /**
   * The committed offsets by topic and partition. kafkajs fetches from a committed offset if it has resolved no later
   * offset.
   */
  readonly committedOffsets: () => Record<string, Record<number, string>>;
  readonly clearOffsets: (partition: Partition) => void;
}

interface OffsetManagerClass {
  readonly prototype: OffsetManager & {
    setDefaultOffset: (this: OffsetManager, partition: Partition) => Promise<void>;
  };
}

/**
 * Makes a consumer of kafkajs 2.2.4 whose fetch position is out of range continue at the log start, without a commit.
 * kafkajs commits the offset -2, which deletes the group's committed offset of the partition. If the process died after
 * such a commit, the partition's next owner could not detect log truncation.
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
      throw new Error(`the start offset of partition ${partition} of ${topic} is unknown`);
    }
    this.clearOffsets({ topic, partition });
    const offsets = this.committedOffsets();
    offsets[topic] = { ...offsets[topic], [partition]: start.offset };
  };
}
