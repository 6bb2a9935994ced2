import { createRequire } from 'node:module';

/** The members of kafkajs's consumer group class that the patch uses. */
interface ConsumerGroup {
  /** The Kafka cluster of the consumer. Each consumer has its own cluster object, which identifies the consumer. */
  readonly cluster: object;
  readonly memberId: string | null;
  readonly generationId: number | null;
  readonly commitOffsets: (offsets: object) => Promise<void>;
}

interface ConsumerGroupClass {
  readonly prototype: ConsumerGroup & {
    joinAndSync: (this: ConsumerGroup) => Promise<void>;
    fetch: (this: ConsumerGroup, nodeId: number) => Promise<readonly unknown[]>;
  };
}

interface Runner {
  readonly running: boolean;
  readonly consumerGroup: ConsumerGroup;
}

interface RunnerClass {
  readonly prototype: { commitOffsets: (this: Runner, offsets: object) => Promise<void> };
}

/** What a consumer does when it leaves a generation of its group. */
export interface Departure {
  /** Called before a rejoin, which waits for the returned promise. The promise must not reject. */
  readonly prepare: () => Promise<void>;
  /** Called when the group has removed the consumer. Other members may have its partitions already. */
  readonly onRemoved: () => void;
}

const patched = new WeakSet<ConsumerGroupClass>();
const departures = new WeakMap<object, Departure>();
const groups = new WeakMap<object, ConsumerGroup>();

/**
 * Makes the consumers of kafkajs 2.2.4 run a preparation before they rejoin a group, and send each commit once.
 *
 * - kafkajs rejoins at once when the group rebalances. Without a preparation, another member would repeat attempts that
 *   are in flight.
 * - kafkajs reports no removal from the group, for example after a long pause of the process, before it has rejoined.
 *   The rejoin waits for the hand-over of the other members, and meanwhile this process would repeat their attempts.
 * - kafkajs repeats a failed commit with the same offsets, even in a later generation of the group. Another member may
 *   have committed higher offsets, so the repeated commit would move the committed offset backwards. The patched
 *   consumer sends a commit once, in the generation in which the offsets were computed. During a join, the patched
 *   consumer sends no commit.
 * - Fetches from several brokers may request a join at the same time, and share one join. A fetch of an earlier
 *   generation returns no records, because other members may have committed higher offsets since.
 */
export function patchMembership(): void {
  const load = createRequire(import.meta.url);
  const groupClass = load('kafkajs/src/consumer/consumerGroup.js') as ConsumerGroupClass;
  if (!patched.has(groupClass)) {
    patched.add(groupClass);
    patch(groupClass, load('kafkajs/src/consumer/runner.js') as RunnerClass);
  }
}

/** Makes the consumer with the given cluster object prepare each rejoin, and notice its removal from the group. */
export function beforeRejoin(cluster: object, departure: Departure): void {
  departures.set(cluster, departure);
}

/**
 * The generation in which the consumer with the given cluster object last joined its group; null before the first join.
 */
export function generationOf(cluster: object): number | null {
  return groups.get(cluster)?.generationId ?? null;
}

function patch(groupClass: ConsumerGroupClass, runnerClass: RunnerClass): void {
  const { joinAndSync, fetch } = groupClass.prototype;
  const joins = new WeakMap<ConsumerGroup, Promise<void>>();
  /**
   * Consumer groups of kafkajs with a join request in flight. Until the answer to a join request arrives, the offsets
   * of the group belong to no generation.
   */
  const joining = new WeakSet<ConsumerGroup>();

  const join = async (group: ConsumerGroup) => {
    const departure = departures.get(group.cluster);
    if (group.memberId !== null) {
      await departure?.prepare();
    } else if (groups.get(group.cluster) === group) {
      // The consumer has lost its member id: other members get its partitions, and it has nothing to hand over.
      departure?.onRemoved();
    }
    groups.set(group.cluster, group);
    joining.add(group);
    try {
      await joinAndSync.call(group);
    } finally {
      joining.delete(group);
      joins.delete(group);
    }
  };

  groupClass.prototype.joinAndSync = function joinOnce() {
    const current = joins.get(this) ?? join(this);
    joins.set(this, current);
    return current;
  };

  groupClass.prototype.fetch = async function fetchInGeneration(nodeId) {
    const { generationId } = this;
    const batches = await fetch.call(this, nodeId);
    return this.generationId === generationId ? batches : [];
  };

  runnerClass.prototype.commitOffsets = async function commitOnce(offsets) {
    if (!this.running || joining.has(this.consumerGroup)) {
      throw new Error('the consumer is currently not a member of its group');
    }
    await this.consumerGroup.commitOffsets(offsets);
  };
}
