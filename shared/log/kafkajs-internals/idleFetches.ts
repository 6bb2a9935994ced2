import { createRequire } from 'node:module';

/** The fetched data of a partition. */
interface Batch {
  /**
   * The records of the fetch, with transaction markers and aborted records. Compaction may have removed some records.
   */
  readonly rawMessages: readonly unknown[];
}

/** The members of kafkajs's consumer group class that the patch uses. */
interface ConsumerGroup {
  readonly subscriptionState: { readonly paused: () => readonly unknown[] };
  /** How long the broker delays its answer to a fetch with fewer than `minBytes` bytes, in milliseconds. */
  maxWaitTime: number;
  /** The number of bytes for which the broker delays its answer to a fetch. */
  minBytes: number;
}

interface ConsumerGroupClass {
  readonly prototype: ConsumerGroup & {
    fetch: (this: ConsumerGroup, nodeId: number) => Promise<readonly Batch[]>;
    recoverFromFetch: (this: ConsumerGroup, error: Error) => Promise<void>;
  };
}

interface Runner {
  readonly consumerGroup: ConsumerGroup;
}

interface RunnerClass {
  readonly prototype: { stop: (this: Runner) => Promise<void> };
}

interface Fetching {
  /** The configured wait of a fetch, in milliseconds. */
  readonly maxWaitTime: number;
  readonly minBytes: number;
  /** The number of successive empty fetches. */
  emptyFetches: number;
  /** Functions that end the fetches in flight, one for each broker. */
  readonly ends: Set<() => void>;
  isStopped: boolean;
}

/** The number of successive empty fetches after which a consumer is idle. */
const idleAfterFetches = 10;
/** The factor by which the broker delays an idle consumer's fetch longer than configured. */
const idleWaitFactor = 4;
/**
 * The longest wait of an idle consumer's fetch. kafkajs sends heartbeats between fetches, and their answers announce a
 * rebalance. With a session timeout of 7 s, another process takes over within 10 s of a `kill -9`. The longest wait is
 * less than half a session timeout, so a heartbeat may be late.
 */
const maximumIdleWaitMs = 2500;

const patched = new WeakSet<ConsumerGroupClass>();

/**
 * Makes the consumers of kafkajs 2.2.4 fetch less often when idle, and stop immediately.
 *
 * - The broker delays each fetch of an idle consumer longer, but answers as soon as there is one byte. So an idle
 *   consumer gets the first record at once, and its next fetches have the configured wait. A resumed partition is
 *   included only in the next fetch. So a consumer with paused partitions retains the configured wait.
 * - A stopped consumer does not wait for the answer to a fetch, because no caller would use the answer.
 */
export function fetchLessWhenIdle(): void {
  const load = createRequire(import.meta.url);
  const groupClass = load('kafkajs/src/consumer/consumerGroup.js') as ConsumerGroupClass;
  if (!patched.has(groupClass)) {
    patched.add(groupClass);
    patch(groupClass, load('kafkajs/src/consumer/runner.js') as RunnerClass);
  }
}

function patch(groupClass: ConsumerGroupClass, runnerClass: RunnerClass): void {
  const { fetch, recoverFromFetch } = groupClass.prototype;
  const { stop } = runnerClass.prototype;
  const fetchings = new WeakMap<ConsumerGroup, Fetching>();

  const fetchingOf = (group: ConsumerGroup): Fetching => {
    const { maxWaitTime, minBytes } = group;
    const known = fetchings.get(group);
    const fetching = known ?? { maxWaitTime, minBytes, emptyFetches: 0, ends: new Set(), isStopped: false };
    fetchings.set(group, fetching);
    return fetching;
  };

  groupClass.prototype.fetch = async function fetchPatiently(nodeId) {
    const fetching = fetchingOf(this);
    setWait(this, fetching);
    const batches = await untilEnded(fetching, fetch.call(this, nodeId));
    const isEmpty = batches.every(({ rawMessages }) => rawMessages.length === 0);
    fetching.emptyFetches = isEmpty ? fetching.emptyFetches + 1 : 0;
    return batches;
  };
  groupClass.prototype.recoverFromFetch = async function recoverWhereUsed(error) {
    const fetching = fetchingOf(this);
    // A failed fetch does not show whether the partitions have new records.
    fetching.emptyFetches = 0;
    // A stopped consumer's fetch fails when its connection closes. Recovering from the failure could join the group
    // again.
    if (!fetching.isStopped) {
      await recoverFromFetch.call(this, error);
    }
  };
  runnerClass.prototype.stop = function stopAtOnce() {
    const fetching = fetchingOf(this.consumerGroup);
    const stopped = stop.call(this);
    fetching.isStopped = true;
    fetching.ends.forEach((end) => {
      end();
    });
    return stopped;
  };
}

function setWait(group: ConsumerGroup, { emptyFetches, maxWaitTime, minBytes }: Fetching): void {
  const isIdle = emptyFetches >= idleAfterFetches && group.subscriptionState.paused().length === 0;
  const idleWaitMs = Math.max(maxWaitTime, Math.min(maxWaitTime * idleWaitFactor, maximumIdleWaitMs));
  group.maxWaitTime = isIdle ? idleWaitMs : maxWaitTime;
  group.minBytes = isIdle ? 1 : minBytes;
}

/** Waits for fetched data, or returns an empty list as soon as the consumer is stopped. */
function untilEnded(fetching: Fetching, fetched: Promise<readonly Batch[]>): Promise<readonly Batch[]> {
  return new Promise((resolve, reject) => {
    const end = () => {
      resolve([]);
    };
    fetching.ends.add(end);
    void fetched.then(resolve, reject).finally(() => fetching.ends.delete(end));
  });
}
