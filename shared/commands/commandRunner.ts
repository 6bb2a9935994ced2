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

/**
 * The decision of a command: its result, and the records of one key to append. A command that changes nothing has no
 * records.
 */
export interface Decision<Result> {
  readonly records: readonly OutgoingRecord[];
  readonly result: Result;
}

export interface Command<Result> {
  readonly accountId: string;
  readonly topic: TopicName;
  /**
   * The record key of the resource, if the command depends on no other resource. A command with a key waits only for
   * the partition of the key.
   */
  readonly key?: string;
  /** Whether the command creates the account, so that no earlier command of the account can exist. */
  readonly createsAccount?: boolean;
  /** Reads the read model, which contains the changes of all earlier commands, and decides. */
  decide: () => Promise<Decision<Result>>;
}

export interface CommandRunner {
  /**
   * Runs a command while no other command of the account runs in any process. The promise resolves when the change can
   * be read.
   * @throws UnavailableError after a timeout; the change may still take effect
   */
  run: <Result>(command: Command<Result>) => Promise<Result>;
}

export interface CommandRunnerDependencies {
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly leases: Leases;
  /** The progress of the read model that is folded from each topic of commands. */
  readonly progress: Readonly<Partial<Record<TopicName, ModelProgress>>>;
  readonly clock: Clock;
}

const timeoutMs = 5000;

/**
 * Creates the command runner. The log has no compare-and-set, so a command runs in four steps:
 * 1. The command takes the account's lease.
 * 2. The command waits until the read model contains the whole topic.
 * 3. The command decides and appends its records.
 * 4. The command waits until the read model contains its change. The next command, delivery and GET then read the
 *   change. The append ends before the lease ends, and the appended records contain the fencing number of the lease. If
 *   the outcome of the append is unknown, the next holder of the lease first appends fences. Each partition that may
 *   still receive the records gets a fence. A fold ignores records of the earlier lease after the fence, and the next
 *   holder reads such records before the fence. So limits of an account are exact, even if a request or a process is
 *   delayed.
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

/**
 * Creates the function that appends a fence to each partition that may still receive records of earlier holders of an
 * account's lease.
 */
function createFence({ log, offsets, clock }: Pick<CommandRunnerDependencies, 'log' | 'offsets' | 'clock'>) {
  const identifiers = createIdentifiers(createRandom());

  return async (accountId: string, { topic, number, deadline }: FenceRequest): Promise<void> => {
    const at = clock();
    const { length } = await withTimeout(offsets.ends(topic), timeoutMs, 'Kafka does not respond');
    const partitions =
      topic === 'accounts' ? [partitionOf(accountId, length)] : Array.from({ length }, (_, index) => index);
    // All appends of fences end before the lease is released.
    const appends = await Promise.allSettled(
      partitions.map((partition) => {
        const id = identifiers.createRecordId(at);
        return log.append(encodeFence({ id, topic, partition, accountId, number, at }), { deadline });
      }),
    );
    const failed = appends.find((append) => append.status === 'rejected');
    if (failed !== undefined) {
      // No record of the command was appended, so the error is an `UnavailableError` instead of an
      // `UnknownOutcomeError`.
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
