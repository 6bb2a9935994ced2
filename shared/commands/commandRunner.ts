import { withTimeout } from '../concurrency/withTimeout.js';
import type { Clock } from '../core/clock.js';
import { messageOf, UnavailableError, UnknownOutcomeError } from '../core/errors.js';
import { createRandom } from '../core/random.js';
import {
  floorNameOf,
  scopeNameOf,
  type CommandScope,
  type ScopeTenant,
} from '../domain/core/commandScope.js';
import { createIdentifiers } from '../domain/core/identifiers.js';
import type { EndOffsets, TopicOffsets } from '../log/client/topicOffsets.js';
import type { OutgoingRecord, RecordPosition } from '../log/encoding/record.js';
import type { LogAppender } from '../log/producer/producer.js';
import { tenantKey } from '../domain/tenants/tenant.js';
import { encodeFence, withFence, type Fence, type FencedTopic } from '../log/records/fence.js';
import type { TopicName } from '../log/topics/names.js';
import { partitionOf } from '../log/topics/partition.js';
import type { FenceRequest, Lease, LeaseRequest, Leases } from '../store/coordination/leases.js';
import {
  allPartitions,
  reachedEnds,
  type AwaitedOffsets,
  type ModelProgress,
} from '../store/models/modelProgress.js';

/**
 * The decision of a command: its result, and the records of one key to append. A command that changes nothing has no
 * records.
 */
export interface Decision<Result> {
  readonly records: readonly OutgoingRecord[];
  readonly result: Result;
}

/** The state that a command decides on. */
interface TopicRead {
  readonly topic: TopicName;
  /** The record key of the resource, if the command depends on no other resource of the topic. */
  readonly key?: string;
}

export interface Command<Result> {
  readonly accountId: string;
  /**
   * The tenant of the resource that the command concerns. Commands of different tenants run at the same time. Null or
   * missing for a resource without a tenant, whose commands have the lease of the account.
   */
  readonly tenant?: ScopeTenant | null;
  readonly topic: TopicName;
  /**
   * The record key of the resource, if the command depends on no other resource. A command with a key waits only for
   * the partition of the key.
   */
  readonly key?: string;
  /** The partitions that a command without a key waits for; all partitions by default. */
  readonly partitions?: readonly number[];
  /** Further state that the command decides on. Records of the command are only in `topic`. */
  readonly alsoReads?: readonly TopicRead[];
  /**
   * Whether the command creates the account, so that no earlier command of the account can exist. Such a command decides
   * on no earlier state, so it does not wait for the read model before its decision.
   */
  readonly createsAccount?: boolean;
  /** Reads the read model, which contains the changes of all earlier commands, and decides. */
  decide: () => Promise<Decision<Result>>;
}

export interface CommandRunner {
  /**
   * Runs a command while no other command of the same scope runs in any process. The promise resolves when the change
   * can be read.
   * @throws UnavailableError after a timeout. The message says whether the change may still take effect
   */
  run: <Result>(command: Command<Result>) => Promise<Result>;
}

/** A command runner that can also return before the change can be read. */
export interface AppendingCommandRunner extends CommandRunner {
  /**
   * Runs a command like `run`, but the promise resolves as soon as the log contains the change.
   * @throws UnknownOutcomeError if the log may contain the change, now or later
   * @throws UnavailableError if the change was not made
   */
  append: <Result>(command: Command<Result>) => Promise<Appended<Result>>;
}

/** A change that the log contains, so that it takes effect even if the read model is behind. */
export interface Appended<Result> {
  readonly result: Result;
  /** Waits until the change can be read. The result is false if it cannot be read after `timeoutMs`. */
  readonly isReadable: (timeoutMs: number) => Promise<boolean>;
}

export interface CommandRunnerDependencies {
  readonly log: LogAppender;
  readonly offsets: TopicOffsets;
  readonly leases: Pick<Leases, 'hold'>;
  /** The progress of the read model that is folded from each topic of commands. */
  readonly progress: Readonly<Partial<Record<TopicName, ModelProgress>>>;
  readonly clock: Clock;
  /**
   * How long a command waits for Kafka and the read models before its decision, and for the read model after its
   * append, in milliseconds.
   */
  readonly readModelMs: number;
}

const offsetsMs = 5000;

/**
 * Creates the command runner. The log has no compare-and-set, so a command runs in four steps:
 * 1. The command takes the lease of the account, or of its tenant.
 * 2. The command waits until the read models contain the topics that the command decides on.
 * 3. The command decides and appends its records.
 * 4. The command waits until the read model contains its change. The next command, delivery and GET then read the
 *   change. The append ends before the lease ends, and the appended records contain the fencing number of the lease. If
 *   the outcome of the append is unknown, the next holder of the lease first appends fences. Each partition that may
 *   still receive the records gets a fence. A fold ignores records of the earlier lease after the fence, and the next
 *   holder reads such records before the fence. So limits of an account are exact, even if a request or a process is
 *   delayed.
 */
export function createCommandRunner(dependencies: CommandRunnerDependencies): AppendingCommandRunner {
  const { log, offsets, leases, progress, readModelMs } = dependencies;
  const { fence, fenceFloor } = createFences(dependencies);

  const isReached = async (topic: TopicName, awaited: AwaitedOffsets, timeoutMs: number) =>
    (await progress[topic]?.reached(topic, awaited, timeoutMs)) ?? false;

  const waitForEnds = async ({ topic, ...resource }: TopicRead & Pick<Command<unknown>, 'partitions'>) => {
    const model = progress[topic];
    const awaitedOf = (ends: EndOffsets) => awaitedEnds(ends, resource);
    if (
      model === undefined ||
      !(await reachedEnds({ progress: model, offsets }, topic, readModelMs, awaitedOf))
    ) {
      throw new UnavailableError(
        'the read model does not contain earlier changes yet; the change was not made',
      );
    }
  };

  const requestOf = ({ accountId, tenant = null, topic, ...command }: Command<unknown>): LeaseRequest => {
    const scope = { accountId, tenant };
    return {
      name: scopeNameOf(scope),
      topic,
      reads: command.alsoReads?.map((read) => read.topic) ?? [],
      isNew: command.createsAccount ?? false,
      fence: (request) => fence(scope, request),
      ...(tenant !== null && {
        floor: { name: floorNameOf(accountId), fence: (held) => fenceFloor(accountId, held) },
      }),
    };
  };

  const decideAndAppend = async <Result>(
    { topic, tenant, alsoReads = [], createsAccount = false, decide, ...resource }: Command<Result>,
    lease: Lease,
  ) => {
    const reads = createsAccount ? alsoReads : [{ topic, ...resource }, ...alsoReads];
    await Promise.all(reads.map(waitForEnds));
    const { records, result } = await decide();
    const [first, ...others] = records.map((record) => withFence(record, lease.number, tenant));
    if (first === undefined) {
      return { result, appended: null };
    }
    if (!lease.isFresh()) {
      throw new UnavailableError('the change took too long and was not made');
    }
    const position = await log.appendTogether([first, ...others], { deadline: lease.deadline });
    return { result, appended: behind(position, records.length) };
  };

  const append: AppendingCommandRunner['append'] = async (command) => {
    const held = await leases.hold(requestOf(command), (lease) => decideAndAppend(command, lease));
    const { result, appended } = held.result;
    if (appended !== null && !held.isOwn) {
      throw new UnknownOutcomeError(
        'the lease has expired during the change; the change may still take effect',
      );
    }
    return {
      result,
      isReadable: (timeoutMs) =>
        appended === null ? Promise.resolve(true) : isReached(command.topic, appended, timeoutMs),
    };
  };

  return {
    append,
    run: async (command) => {
      const { result, isReadable } = await append(command);
      if (!(await isReadable(readModelMs))) {
        throw new UnavailableError('the change was made, but the read model does not contain it yet');
      }
      return result;
    },
  };
}

/** The topics with commands of tenants. */
const topicsOfTenants = ['tenants', 'webhooks', 'replays'] as const satisfies readonly FencedTopic[];

/**
 * Creates the functions that append a fence to each partition that may still receive records of earlier holders of a
 * lease.
 */
function createFences({ log, offsets, clock }: Pick<CommandRunnerDependencies, 'log' | 'offsets' | 'clock'>) {
  const identifiers = createIdentifiers(createRandom());

  const appendAll = async (
    fences: readonly Pick<Fence, 'topic' | 'partition'>[],
    fence: Pick<Fence, 'accountId' | 'tenant' | 'number'>,
    deadline: number,
  ) => {
    const at = clock();
    // All appends of fences end before the lease is released.
    const appends = await Promise.allSettled(
      fences.map((place) => {
        const id = identifiers.createRecordId(at);
        return log.append(encodeFence({ ...fence, ...place, id, at }), { deadline });
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

  const placesIn = async (topic: FencedTopic, scope: CommandScope) => {
    const { length } = await withTimeout(offsets.ends(topic), offsetsMs, 'Kafka does not respond');
    const key = onlyKeyOf(topic, scope);
    const partitions =
      key === null ? Array.from({ length }, (_, partition) => partition) : [partitionOf(key, length)];
    return partitions.map((partition) => ({ topic, partition }));
  };

  return {
    fence: async (scope: CommandScope, { topic, number, deadline }: FenceRequest) => {
      await appendAll(await placesIn(topic, scope), { ...scope, number }, deadline);
    },
    fenceFloor: async (accountId: string, { number, deadline }: Pick<Lease, 'number' | 'deadline'>) => {
      const places = await Promise.all(
        topicsOfTenants.map((topic) => placesIn(topic, { accountId, tenant: null })),
      );
      await appendAll(places.flat(), { accountId, tenant: 'all', number }, deadline);
    },
  };
}

/** The only record key of a scope's commands in a topic, or null if the commands have different keys. */
function onlyKeyOf(topic: FencedTopic, { accountId, tenant }: CommandScope): string | null {
  if (topic === 'tenants' && tenant !== null) {
    return tenantKey(accountId, tenant.tenantId);
  }
  return topic === 'accounts' ? accountId : null;
}

function behind({ partition, offset }: RecordPosition, count: number): AwaitedOffsets {
  return new Map([[partition, offset + count]]);
}

function awaitedEnds(
  ends: EndOffsets,
  { key, partitions }: Pick<Command<unknown>, 'key' | 'partitions'>,
): AwaitedOffsets {
  const awaited = key === undefined ? partitions : [partitionOf(key, ends.length)];
  return awaited === undefined
    ? allPartitions(ends)
    : new Map(awaited.map((partition) => [partition, ends[partition] ?? 0]));
}
