import { performance } from 'node:perf_hooks';

import { expect } from 'chai';

import { onAlignedInterval, untilAligned } from '../../../shared/concurrency/alignedTimers.js';
import { createOpened } from '../../support/opened.js';
import { eventually } from '../../support/eventually.js';

describe('the aligned timers', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** The times of the calls of an aligned interval. */
  function callsOf(intervalMs: number) {
    const calls: number[] = [];
    const end = onAlignedInterval(intervalMs, () => {
      calls.push(performance.now());
    });
    opened.add('interval', end);
    return { calls, end };
  }

  it('fire when the clock reaches a multiple of the interval', () => {
    const before = performance.now();
    const wait = untilAligned(1000);
    const after = performance.now();

    const due = Math.round((after + wait) / 1000) * 1000;
    // The wait began between the two readings of the clock, and is rounded up to whole milliseconds.
    expect(due).to.be.within(before + wait - 1, after + wait);
  });

  it('wait for at least half an interval, and at most for one and a half', () => {
    const waits = new Set(Array.from({ length: 20_000 }, () => untilAligned(4)));

    expect([...waits].filter((wait) => wait < 2 || wait > 6)).to.deep.equal([]);
  });

  it('call a function repeatedly', async () => {
    const { calls } = callsOf(20);

    await eventually('three calls', () => (calls.length > 2 ? true : null));
  });

  it('do not call a function after its interval has ended', async () => {
    const ended = callsOf(20);
    ended.end();
    const other = callsOf(20);
    await eventually('three calls of another interval', () => (other.calls.length > 2 ? true : null));

    expect(ended.calls).to.deep.equal([]);
  });
});
