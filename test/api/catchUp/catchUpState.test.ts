import { expect } from 'chai';
import fc from 'fast-check';

import {
  nextCatchUpState,
  type CatchUpSample,
  type CatchUpState,
} from '../../../api/catchUp/catchUpState.js';

type Seen = readonly [atMs: number, end: number, committed: number | null];

/** Whether it keeps up by the last of some looks at a topic of one partition. */
function isKeepingUp(first: Seen, ...others: readonly Seen[]): boolean {
  return others.map(lookOf).reduce(nextCatchUpState, nextCatchUpState(null, lookOf(first))).isKeepingUp;
}

function lookOf([atMs, end, committed]: Seen): CatchUpSample {
  return { atMs, ends: [end], committed: [committed] };
}

describe('the catch-up state of a consumer group', () => {
  it('is done where there is nothing to make up for', () => {
    expect(isKeepingUp([0, 10, 10])).to.equal(true);
  });

  it('is done where there is nothing to read and nothing was committed', () => {
    expect(isKeepingUp([0, 0, null])).to.equal(true);
  });

  it('is under way where the topic holds more than was committed', () => {
    expect(isKeepingUp([0, 10, 9])).to.equal(false);
  });

  it('is under way until the group has come to where the topic ended at the first look', () => {
    expect(isKeepingUp([0, 10, 0], [2000, 100, 9])).to.equal(false);
  });

  it('is done once it is there, whatever was appended meanwhile', () => {
    expect(isKeepingUp([0, 10, 0], [2000, 100, 10])).to.equal(true);
  });

  it('goes on where it took so long that others wait behind by now', () => {
    expect(isKeepingUp([0, 10, 0], [5001, 100, 10])).to.equal(false);
  });

  it('is done once it comes to the end in little time', () => {
    expect(isKeepingUp([0, 10, 0], [6000, 100, 10], [11_000, 200, 100])).to.equal(true);
  });

  it('is done once it comes to the end in less than a minute, where an attempt takes long', () => {
    expect(isKeepingUp([0, 10, 0], [6000, 100, 10], [36_000, 200, 100])).to.equal(true);
  });

  it('is not under way while a group that kept up waits for a slow attempt', () => {
    expect(isKeepingUp([0, 10, 10], [2000, 100, 10], [60_000, 200, 10])).to.equal(true);
  });

  it('is under way again once it is behind for longer, as after an outage', () => {
    expect(isKeepingUp([0, 10, 10], [2000, 100, 10], [62_001, 200, 50])).to.equal(false);
  });

  it('is under way for as long as the group stands still', () => {
    expect(isKeepingUp([0, 10, 5], [60_000, 10, 5])).to.equal(false);
  });

  it('has each partition come to its end: one that is ahead does not make up for another', () => {
    const first = nextCatchUpState(null, { atMs: 0, ends: [10, 10], committed: [0, 0] });
    const second = nextCatchUpState(first, { atMs: 1000, ends: [90, 10], committed: [90, 9] });
    expect(second.isKeepingUp).to.equal(false);
  });

  it('is done, whatever was before, once the group has come to the end twice within a moment', () => {
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
