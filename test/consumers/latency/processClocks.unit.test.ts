import { expect } from 'chai';

import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { startRunningClock } from '../../../consumers/latency/processClocks.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';

describe('the running clock', () => {
  /** A running clock over a monotonic clock that the test moves. */
  const openClock = () => {
    let time = 1_000_000;
    const clock = startRunningClock(() => time);
    closeAtEndOfFile(clock.stop);
    return {
      now: clock.now,
      pass: (milliseconds: number) => {
        time += milliseconds;
      },
    };
  };

  it('advances with the monotonic clock while the process runs', () => {
    const { now, pass } = openClock();
    const begin = now();
    for (let second = 0; second < 60; second += 1) {
      pass(1000);
      now();
    }

    expect(now() - begin).to.equal(60_000);
  });

  it('stops while the process is paused', () => {
    const { now, pass } = openClock();
    pass(500);
    const before = now();
    pass(40_000);
    const after = now();
    pass(100);

    expect([after - before, now() - after]).to.deep.equal([0, 100]);
  });

  it('does not count a pause of the process as latency of a webhook', async () => {
    const { now, pass } = openClock();
    const tracker = createLatencyTracker({ now, idleMs: now });
    const means: number[] = [];
    await tracker.timed('wh_1', () => {
      pass(10);
      means.push(tracker.meanExchangeMs('wh_1'));
      pass(40_000);
      means.push(tracker.meanExchangeMs('wh_1'));
      return Promise.resolve();
    });

    expect([...means, tracker.latencyClassOf('wh_1', 1000)]).to.deep.equal([250, 250, 'fast']);
  });
});
