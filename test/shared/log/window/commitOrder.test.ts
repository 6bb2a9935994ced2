import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';

import { onAlignedInterval } from '../../../../shared/concurrency/alignedTimers.js';
import { createLogger } from '../../../../shared/core/logger.js';
import type { GroupConsumer, GroupConsumerHandlers } from '../../../../shared/log/group/groupConsumer.js';
import { createWindowedConsumer } from '../../../../shared/log/window/windowedConsumer.js';
import { eventually } from '../../../support/eventually.js';
import { plainRecord } from '../../../support/log.js';
import { boundsOf } from './bounds.js';

const commitIntervalMs = 10;
const partition = { topic: 'events', partition: 0 } as const;

/** A member whose commits end when the test says so. */
function memberWithSlowCommits() {
  const commits: { readonly offset: number | undefined; readonly answer: () => void }[] = [];
  let handlers: GroupConsumerHandlers | null = null;
  const consumer: GroupConsumer = {
    start: (given) => {
      handlers = given;
      given.onAssignment([partition]);
      return Promise.resolve();
    },
    pause: () => undefined,
    resume: () => undefined,
    seek: () => undefined,
    commit: ([position]) =>
      new Promise((resolve) => {
        commits.push({ offset: position?.offset, answer: () => resolve(true) });
      }),
    stop: () => Promise.resolve(),
  };
  const called = () => {
    if (handlers === null) {
      throw new Error('the consumer has not started');
    }
    return handlers;
  };
  return { consumer, commits, handlers: called };
}

/** Resolves after five intervals of commits. */
async function severalIntervals(): Promise<void> {
  let intervals = 0;
  const end = onAlignedInterval(commitIntervalMs, () => {
    intervals += 1;
  });
  await eventually('five intervals', () => (intervals >= 5 ? true : null));
  end();
}

describe('a windowed consumer during a rebalance', () => {
  it('has one commit in flight at most, so that no commit overtakes a later one', async () => {
    const { consumer, commits, handlers } = memberWithSlowCommits();
    const windowed = createWindowedConsumer(
      {
        consumer,
        deadLetters: { append: () => Promise.reject(new Error('every record is handled')) },
        logger: createLogger({ level: 'silent', role: 'test', isTerminal: false }),
      },
      {
        bounds: boundsOf(100),
        commitIntervalMs,
        onAssigned: () => undefined,
        handle: () => Promise.resolve('done'),
      },
    );
    await windowed.start(() => undefined);
    const answered = async (count: number) => {
      await eventually(`commit ${count}`, () => (commits.length >= count ? true : null));
      commits[count - 1]?.answer();
      await endOfTurn();
    };
    const take = (offset: number) => {
      const record = {
        ...plainRecord('events', 'evt'),
        key: Buffer.from('evt'),
        ...partition,
        offset,
        timestamp: 0,
      };
      return handlers().onBatch(partition, { begin: offset, end: offset + 1, records: [record] });
    };
    const first = take(0);
    await answered(1);
    await first;
    const rebalancing = handlers().onRebalancing();
    await eventually('the last commit of the partition', () => (commits.length >= 2 ? true : null));
    await take(1);
    await severalIntervals();
    const inFlight = commits.length - 1;
    commits.forEach(({ answer }) => answer());
    await rebalancing;

    expect(inFlight).to.equal(1);
    // From now on every commit is answered, so that the consumer can stop.
    const answering = onAlignedInterval(commitIntervalMs, () => {
      commits.forEach(({ answer }) => answer());
    });
    await windowed.stop(100);
    answering();
  });
});
