import { createRequire } from 'node:module';

/** What a fetch has brought of a partition. */
interface Batch {
  /** Records, markers of transactions, and what was aborted or compacted away. */
  readonly rawMessages: readonly unknown[];
}

/** The parts of kafkajs's member of a consumer group that the patch looks at. */
interface ConsumerGroup {
  readonly subscriptionState: { readonly paused: () => readonly unknown[] };
  /** How long the broker holds a fetch that finds too little, in milliseconds. */
  maxWaitTime: number;
  /** How little is too little, in bytes. */
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
  /** What its owner has set. */
  readonly maxWaitTime: number;
  readonly minBytes: number;
  /** How many fetches in a row have brought nothing. */
  emptyFetches: number;
  /** Ends the fetches that are under way, one for each broker. */
  readonly ends: Set<() => void>;
  isStopped: boolean;
}

/** After so many fetches that have brought nothing a consumer is idle. */
const idleAfterFetches = 10;
/** How many times as long an idle consumer's fetch waits. */
const idleWaitFactor = 4;
/**
 * Heartbeats come between fetches, and tell a member that another one is gone: with a session of 7 s that is within 10 s after a
 * `kill -9`. Also less than half a session, so that a heartbeat may come late.
 */
const maximumIdleWaitMs = 2500;

const patched = new WeakSet<ConsumerGroupClass>();

/**
 * Makes the consumers of kafkajs 2.2.4 fetch less often while nothing comes, and stop at once.
 *
 * - A consumer that has had nothing for a while, and has nothing paused, lets each fetch wait longer, and for a single byte: the
 *   first record that comes is handed over at once, and fetches are as they were set from then on. A partition that is paused
 *   is in the next fetch only after it is resumed, so whoever has one goes on fetching as often as it was set.
 * - A consumer that is stopped does not wait for the answer to a fetch: it would not use it.
 *
 * What that saves idle stands in docs/operations.md.
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
    // A fetch that has failed says nothing about what there is.
    fetching.emptyFetches = 0;
    // One that nobody waits for any more fails once its connection is closed: to recover may be to join the group again.
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

/** What was fetched, or nothing as soon as the consumer is stopped. */
function untilEnded(fetching: Fetching, fetched: Promise<readonly Batch[]>): Promise<readonly Batch[]> {
  return new Promise((resolve, reject) => {
    const end = () => {
      resolve([]);
    };
    fetching.ends.add(end);
    void fetched.then(resolve, reject).finally(() => fetching.ends.delete(end));
  });
}
