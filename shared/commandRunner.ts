import { UnavailableError } from './errors.js';
import { inTime } from './inTime.js';
import type { LogAppender } from './kafka/laneProducer.js';
import type { EndOffsets, TopicOffsets } from './kafka/topicOffsets.js';
import type { Leases } from './mongo/leases.js';
import { allPartitions, type AwaitedOffsets, type ModelProgress } from './mongo/modelProgress.js';
import type { TopicName } from './topics/names.js';
import { partitionOf } from './topics/partition.js';
import type { OutgoingRecord } from './topics/record.js';

/** What a command has come to: records of one key to append, or none where nothing changes, and its result. */
export interface Decision<Result> {
  readonly records: readonly OutgoingRecord[];
  readonly result: Result;
}

export interface Command<Result> {
  readonly accountId: string;
  readonly topic: TopicName;
  /** Of the resource that it is about, where no other one matters to it: only that key's partition is waited for. */
  readonly key?: string;
  /** Reads the model, which holds every earlier command's change by now, and decides. */
  decide: () => Promise<Decision<Result>>;
}

export interface CommandRunner {
  /**
   * Runs a command alone among all commands of its account, in all processes, and returns once its change can be read.
   * @throws UnavailableError where that takes too long; the change may still take effect
   */
  run: <Result>(command: Command<Result>) => Promise<Result>;
}

export interface CommandRunnerDependencies {
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly leases: Leases;
  /** The progress of the model that is folded from the commands' topic. */
  readonly progress: Readonly<Partial<Record<TopicName, ModelProgress>>>;
}

const modelTimeoutMs = 5000;

/**
 * The log has no compare-and-set, so a command takes its account's lease, waits until the model holds all that stands
 * in the topic, decides on that, appends, and waits until the model holds its own change too. So the next command,
 * delivery and GET see it, and limits are exact.
 */
export function createCommandRunner(dependencies: CommandRunnerDependencies): CommandRunner {
  const { log, offsets, leases, progress } = dependencies;

  const waitFor = async (topic: TopicName, awaited: ReadonlyMap<number, number>) => {
    if (!((await progress[topic]?.reached(topic, awaited, modelTimeoutMs)) ?? false)) {
      throw new UnavailableError('the read model is behind the log; the change may still take effect');
    }
  };

  return {
    run: ({ accountId, topic, key, decide }) =>
      leases.hold(accountId, async (lease) => {
        const ends = await inTime(offsets.ends(topic), modelTimeoutMs, 'the log does not answer');
        await waitFor(topic, key === undefined ? allPartitions(ends) : partitionOfKey(ends, key));
        const { records, result } = await decide();
        const [first, ...others] = records;
        if (first === undefined) {
          return result;
        }
        if (!lease.isFresh()) {
          throw new UnavailableError('the decision took too long and was dropped');
        }
        const position = await log.appendTogether([first, ...others]);
        await waitFor(topic, new Map([[position.partition, position.offset + records.length]]));
        return result;
      }),
  };
}

function partitionOfKey(ends: EndOffsets, key: string): AwaitedOffsets {
  const partition = partitionOf(key, ends.length);
  return new Map([[partition, ends[partition] ?? 0]]);
}
