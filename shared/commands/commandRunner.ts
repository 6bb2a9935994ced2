import type { Clock } from '../core/clock.js';
import { createIdentifiers } from '../domain/core/identifiers.js';
import { messageOf, UnavailableError, UnknownOutcomeError } from '../core/errors.js';
import { withTimeout } from '../concurrency/withTimeout.js';
import type { LogAppender } from '../log/producer/producer.js';
import type { EndOffsets, TopicOffsets } from '../log/client/topicOffsets.js';
import type { FenceRequest, Leases } from '../store/coordination/leases.js';
import { allPartitions, type AwaitedOffsets, type ModelProgress } from '../store/models/modelProgress.js';
import { createRandom } from '../core/random.js';
import { encodeFence, withFence } from '../log/records/fence.js';
import type { TopicName } from '../log/topics/names.js';
import { partitionOf } from '../log/topics/partition.js';
import type { OutgoingRecord, RecordPosition } from '../log/encoding/record.js';

/** The outcome of a command: records of one key to append, or none if nothing changes, and its result. */
export interface Decision<Result> {
  readonly records: readonly OutgoingRecord[];
  readonly result: Result;
}

export interface Command<Result> {
  readonly accountId: string;
  readonly topic: TopicName;
  /** Of the resource that it is about, if no other one matters to it: only that key's partition is waited for. */
  readonly key?: string;
  /** Whether it creates the account, so that there cannot have been an earlier command. */
  readonly createsAccount?: boolean;
  /** Reads the model, which contains every earlier command's change by now, and decides. */
  decide: () => Promise<Decision<Result>>;
}

export interface CommandRunner {
  /**
   * Runs a command alone among all commands of its account, in all processes, and returns once its change can be read.
   * @throws UnavailableError if that takes too long; the change may still take effect
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
 * The log has no compare-and-set, so a command takes its account's lease, waits until the model contains all of the topic,
 * decides, appends, and waits until the model contains its own change. So the next command, delivery and GET see it.
 *
 * The append ends before the lease does, and its records carry the number of the lease. If its outcome stays unknown, the next
 * holder first appends a fence to each partition in which the records may still arrive: every fold ignores them behind the
 * fence, and the next holder sees them before it. So limits are exact, however long a request or a process is delayed.
 */
export function createCommandRunner(dependencies: CommandRunnerDependencies): CommandRunner {
  const { log, offsets, leases, progress } = dependencies;
  const fence = createFence(dependencies);

  const waitFor = async (topic: TopicName, awaited: AwaitedOffsets) => {
    if (!((await progress[topic]?.reached(topic, awaited, timeoutMs)) ?? false)) {
      throw new UnavailableError('the read model is behind the log; the change may still take effect');
    }
  };

  const decideAndAppend = async <Result>(
    { topic, key, decide }: Command<Result>,
    lease: Parameters<Parameters<Leases['hold']>[1]>[0],
  ) => {
    const ends = await withTimeout(offsets.ends(topic), timeoutMs, 'the log does not answer');
    await waitFor(topic, key === undefined ? allPartitions(ends) : partitionOfKey(ends, key));
    const { records, result } = await decide();
    const [first, ...others] = records.map((record) => withFence(record, lease.number));
    if (first === undefined) {
      return { result, appended: null };
    }
    if (!lease.isFresh()) {
      throw new UnavailableError('the decision took too long and was dropped');
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
            'the lease has ended during the change; the change may still take effect',
          );
        }
        await waitFor(topic, appended);
      }
      return result;
    },
  };
}

/** Appends a fence to each partition in which earlier holders of an account's lease may still write. */
function createFence({ log, offsets, clock }: Pick<CommandRunnerDependencies, 'log' | 'offsets' | 'clock'>) {
  const identifiers = createIdentifiers(createRandom());

  return async (accountId: string, { topic, number, deadline }: FenceRequest): Promise<void> => {
    const at = clock();
    const { length } = await withTimeout(offsets.ends(topic), timeoutMs, 'the log does not answer');
    const partitions =
      topic === 'accounts' ? [partitionOf(accountId, length)] : Array.from({ length }, (_, index) => index);
    // All of them end before the lease is released.
    const appends = await Promise.allSettled(
      partitions.map((partition) => {
        const id = identifiers.createRecordId(at);
        return log.append(encodeFence({ id, topic, partition, accountId, number, at }), { deadline });
      }),
    );
    const failed = appends.find((append) => append.status === 'rejected');
    if (failed !== undefined) {
      // Nothing of the command was appended: its outcome is known.
      throw new UnavailableError(`the account could not be fenced: ${messageOf(failed.reason)}`);
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
