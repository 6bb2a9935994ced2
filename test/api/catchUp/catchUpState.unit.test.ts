import { expect } from 'chai';
import fc from 'fast-check';

import {
  nextCatchUpState,
  type CatchUpSample,
  type CatchUpState,
} from '../../../api/catchUp/catchUpState.js';

type Seen = readonly [atMs: number, end: number, committed: number | null];

/** Whether the group keeps up at the last of these samples of a topic with one partition. */
function isKeepingUp(first: Seen, ...others: readonly Seen[]): boolean {
  return others.map(lookOf).reduce(nextCatchUpState, nextCatchUpState(null, lookOf(first))).isKeepingUp;
}

function lookOf([atMs, end, committed]: Seen): CatchUpSample {
  return { atMs, ends: [end], committed: [committed] };
}

describe('the catch-up state of a consumer group', () => {
  it('is caught up if everything is committed', () => {
    expect(isKeepingUp([0, 10, 10])).to.equal(true);
  });

  it('is caught up if the topic is empty and the group has no committed offset', () => {
    expect(isKeepingUp([0, 0, null])).to.equal(true);
  });

  it('is behind if the topic has uncommitted records', () => {
    expect(isKeepingUp([0, 10, 9])).to.equal(false);
  });

  it('is behind until the group has committed up to the end of the topic at the first sample', () => {
    expect(isKeepingUp([0, 10, 0], [2000, 100, 9])).to.equal(false);
  });

  it('is caught up once it has committed that end, whatever was appended meanwhile', () => {
    expect(isKeepingUp([0, 10, 0], [2000, 100, 10])).to.equal(true);
  });

  it('remains behind if that took so long that newer records wait', () => {
    expect(isKeepingUp([0, 10, 0], [5001, 100, 10])).to.equal(false);
  });

  it('is caught up once it reaches the end within seconds', () => {
    expect(isKeepingUp([0, 10, 0], [6000, 100, 10], [11_000, 200, 100])).to.equal(true);
  });

  it('is caught up once it reaches the end within a minute, as an attempt can take that long', () => {
    expect(isKeepingUp([0, 10, 0], [6000, 100, 10], [36_000, 200, 100])).to.equal(true);
  });

  it('remains caught up while it waits for a slow attempt', () => {
    expect(isKeepingUp([0, 10, 10], [2000, 100, 10], [60_000, 200, 10])).to.equal(true);
  });

  it('is behind again if it does not reach the end within a minute, as after an outage', () => {
    expect(isKeepingUp([0, 10, 10], [2000, 100, 10], [62_001, 200, 50])).to.equal(false);
  });

  it('remains behind as long as the group commits nothing', () => {
    expect(isKeepingUp([0, 10, 5], [60_000, 10, 5])).to.equal(false);
  });

  it('requires each partition to reach its end', () => {
    const first = nextCatchUpState(null, { atMs: 0, ends: [10, 10], committed: [0, 0] });
    const second = nextCatchUpState(first, { atMs: 1000, ends: [90, 10], committed: [90, 9] });
    expect(second.isKeepingUp).to.equal(false);
  });

  it('is caught up after two samples at the end within a moment, from any earlier state', () => {
    const seen = fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.nat(100), fc.nat(100));
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 20 }), (steps) => {
        let nowMs = 0;
        let state: CatchUpState | null = null;
        for (const [stepMs, end, committed] of steps) {
          nowMs += stepMs;
          state = nextCatchUpState(state, lookOf([nowMs, end, Math.min(end, committed)]));
        }
        const there = nextCatchUpState(state, lookOf([nowMs + 1, 100, 100]));
        expect(nextCatchUpState(there, lookOf([nowMs + 2, 100, 100])).isKeepingUp).to.equal(true);
      }),
    );
  });
});
