import { expect } from 'chai';
import fc from 'fast-check';

import {
  afterLook,
  isUnderWay,
  type CatchUpLook,
  type CatchUpState,
} from '../../../api/catchUp/catchUpState.js';

type Seen = readonly [atMs: number, end: number, committed: number | null];

/** Whether it is under way at the last of some looks at a topic of one partition. */
function underWay(first: Seen, ...others: readonly Seen[]): boolean {
  const state = others.map(lookOf).reduce(afterLook, afterLook(null, lookOf(first)));
  return isUnderWay(state, (others.at(-1) ?? first)[0]);
}

function lookOf([atMs, end, committed]: Seen): CatchUpLook {
  return { atMs, ends: [end], committed: [committed] };
}

describe('the catching up of a group', () => {
  it('is done where there is nothing to make up for', () => {
    expect(underWay([0, 10, 10])).to.equal(false);
  });

  it('is done where there is nothing to read and nothing was committed', () => {
    expect(underWay([0, 0, null])).to.equal(false);
  });

  it('is under way where the topic holds more than was committed', () => {
    expect(underWay([0, 10, 9])).to.equal(true);
  });

  it('is under way until the group has come to where the topic ended at the first look', () => {
    expect(underWay([0, 10, 0], [2000, 100, 9])).to.equal(true);
  });

  it('is done once it is there, whatever was appended meanwhile', () => {
    expect(underWay([0, 10, 0], [2000, 100, 10])).to.equal(false);
  });

  it('goes on where it took so long that others wait behind by now', () => {
    expect(underWay([0, 10, 0], [5001, 100, 10])).to.equal(true);
  });

  it('is done once it comes to the end in little time', () => {
    expect(underWay([0, 10, 0], [6000, 100, 10], [11_000, 200, 100])).to.equal(false);
  });

  it('is not under way while the group stands still', () => {
    expect(underWay([0, 10, 5], [5000, 20, 5], [10_001, 30, 5])).to.equal(false);
  });

  it('is under way again once the group goes on', () => {
    expect(underWay([0, 10, 5], [10_001, 30, 5], [60_000, 90, 6])).to.equal(true);
  });

  it('has each partition come to its end: one that is ahead does not make up for another', () => {
    const first = afterLook(null, { atMs: 0, ends: [10, 10], committed: [0, 0] });
    const second = afterLook(first, { atMs: 1000, ends: [90, 10], committed: [90, 9] });
    expect(second.isDone).to.equal(false);
  });

  it('is done, whatever was before, once the group has come to the end twice within a moment', () => {
    const seen = fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.nat(100), fc.nat(100));
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 20 }), (steps) => {
        let nowMs = 0;
        let state: CatchUpState | null = null;
        for (const [stepMs, end, committed] of steps) {
          nowMs += stepMs;
          state = afterLook(state, lookOf([nowMs, end, Math.min(end, committed)]));
        }
        const there = afterLook(state, lookOf([nowMs + 1, 100, 100]));
        expect(afterLook(there, lookOf([nowMs + 2, 100, 100])).isDone).to.equal(true);
      }),
    );
  });
});
