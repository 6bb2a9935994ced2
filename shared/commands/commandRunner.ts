import { withTimeout } from '../concurrency/withTimeout.js';
import type { Clock } from '../core/clock.js';
import { messageOf, UnavailableError, UnknownOutcomeError } from '../core/errors.js';
import { createRandom } from '../core/random.js';
import { createIdentifiers } from '../domain/core/identifiers.js';
import type { EndOffsets, TopicOffsets } from '../log/client/topicOffsets.js';
import type { OutgoingRecord, RecordPosition } from '../log/encoding/record.js';
import type { LogAppender } from '../log/producer/producer.js';
import { encodeFence, withFence } from '../log/records/fence.js';
import type { TopicName } from '../log/topics/names.js';
import { partitionOf } from '../log/topics/partition.js';
import type { FenceRequest, Leases } from '../store/coordination/leases.js';
import { allPartitions, type AwaitedOffsets, type ModelProgress } from '../store/models/modelProgress.js';

/** The outcome of a command: records of one key to append, or none if nothing changes, and its result. */
export interface Decision<Result> {
  readonly records: readonly OutgoingRecord[];
  readonly result: Result;
}

export interface Command<Result> {
  readonly accountId: string;
  readonly topic: TopicName;
  /**
   * The key of the resource, if the command depends on no other resource. Then the command waits for the partition of
   * this key only.
   */
  readonly key?: string;
  /** Whether the command creates the account, so that no earlier command can exist. */
  readonly createsAccount?: boolean;
  /** Reads the model, which contains the changes of all earlier commands, and decides. */
  decide: () => Promise<Decision<Result>>;
}

export interface CommandRunner {
  /**
   * Runs a command alone among all commands of its account, in all processes. It returns once the change can be read.
   * @throws UnavailableError after a timeout; the change may still take effect
   */
  run: <Result>(command: Command<Result>) => Promise<Result>;
}

export interface CommandRunnerDependencies {
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly leases: Leases;
  /** The progress of the model that is folded from the commands' topic. */
  readonly progress: Readonly<Partial<Record<TopicName, ModelProgress>>>;
  readonly clock: Clock;
}

const timeoutMs = 5000;

/**
 * The log has no compare-and-set. So a command runs in these steps:
 * 1. It takes the account's lease.
 * 2. It waits until the model contains the whole topic.
 * 3. It decides and appends.
 * 4. It waits until the model contains its own change. The next command, delivery and GET then see the change of the command.
 * The append ends before the lease does, and its records carry the number of the lease. If its outcome is unknown, the
 * next holder first appends a fence to each partition that may still receive the records. Every fold ignores the
 * records if they follow the fence, and the next holder sees them if they precede it. So limits are exact, however long
 * a request or a process is delayed.
 */
export function createCommandRunner(dependencies: CommandRunnerDependencies): CommandRunner {
  const { log, offsets, leases, progress } = dependencies;
  const fence = createFence(dependencies);

  const waitFor = async (topic: TopicName, awaited: AwaitedOffsets) => {
    if (!((await progress[topic]?.reached(topic, awaited, timeoutMs)) ?? false)) {
      throw new UnavailableError(
        'the read model does not contain the change yet; the change may still take effect',
      );
    }
  };

  const decideAndAppend = async <Result>(
    { topic, key, decide }: Command<Result>,
    lease: Parameters<Parameters<Leases['hold']>[1]>[0],
  ) => {
    const ends = await withTimeout(offsets.ends(topic), timeoutMs, 'Kafka does not respond');
    await waitFor(topic, key === undefined ? allPartitions(ends) : partitionOfKey(ends, key));
    const { records, result } = await decide();
    const [first, ...others] = records.map((record) => withFence(record, lease.number));
    if (first === undefined) {
      return { result, appended: null };
    }
    if (!lease.isFresh()) {
      throw new UnavailableError('the change took too long and was not made');
    }
    const position = await log.appendTogether([first, ...others], { deadline: lease.deadline });
    return { result, appended: behind(position, records.length) };
  };

  return {
    run: async (command) => {
      const { accountId: name, topic, createsAccount: isNew = false } = command;
      const request = { name, topic, isNew, fence: (fencing: FenceRequest) => fence(name, fencing) };
      const held = await leases.hold(request, (lease) => decideAndAppend(command, lease));
      const { result, appended } = held.result;
      if (appended !== null) {
        if (!held.isOwn) {
          throw new UnknownOutcomeError(
            "the account's lease has expired during the change; the change may still take effect",
          );
        }
        await waitFor(topic, appended);
      }
      return result;
    },
  };
}

/** Appends a fence to each partition that may still receive records of earlier holders of an account's lease. */
function createFence({ log, offsets, clock }: Pick<CommandRunnerDependencies, 'log' | 'offsets' | 'clock'>) {
  const identifiers = createIdentifiers(createRandom());

  return async (accountId: string, { topic, number, deadline }: FenceRequest): Promise<void> => {
    const at = clock();
    const { length } = await withTimeout(offsets.ends(topic), timeoutMs, 'Kafka does not respond');
    const partitions =
      topic === 'accounts' ? [partitionOf(accountId, length)] : Array.from({ length }, (_, index) => index);
    // All appends end before the lease is released.
    const appends = await Promise.allSettled(
      partitions.map((partition) => {
        const id = identifiers.createRecordId(at);
        return log.append(encodeFence({ id, topic, partition, accountId, number, at }), { deadline });
      }),
    );
    const failed = appends.find((append) => append.status === 'rejected');
    if (failed !== undefined) {
      // No record of the command was appended, so its outcome is known.
      throw new UnavailableError(
        `the fences of an earlier change could not be appended: ${messageOf(failed.reason)}`,
      );
    }
  };
}

function behind({ partition, offset }: RecordPosition, count: number): AwaitedOffsets {
  return new Map([[partition, offset + count]]);
}

function partitionOfKey(ends: EndOffsets, key: string): AwaitedOffsets {
  const partition = partitionOf(key, ends.length);
  return new Map([[partition, ends[partition] ?? 0]]);
}
