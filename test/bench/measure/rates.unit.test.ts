import { expect } from 'chai';
import fc from 'fast-check';

import { longestGapMs, ratesOf } from '../../../bench/measure/rates.js';

const anyTimes = fc.array(fc.double({ min: 1000, max: 600_000, noNaN: true }), { minLength: 1 });

describe('the rate of each second', () => {
  it('is counted from the beginning, including seconds without an event', () => {
    const { points } = ratesOf('accepted', [5000, 5100, 5999, NaN, 8500], 5000);
    expect(points).to.deep.equal([
      [0, 3],
      [1, 0],
      [2, 0],
      [3, 1],
    ]);
  });

  it('has a limited number of points, which add up to all events', () => {
    fc.assert(
      fc.property(anyTimes, (times) => {
        const { points } = ratesOf('accepted', times, 1000);
        const step = points[1]?.[0] ?? 1;
        const all = points.reduce((sum, [, rate]) => sum + rate * step, 0);
        expect(all).to.be.closeTo(times.length, 1e-6);
        expect(points).to.have.lengthOf.at.most(121);
      }),
    );
  });
});

describe('the longest gap between events', () => {
  it('is between two consecutive times in any order of the list', () => {
    expect(longestGapMs([900, 100, NaN, 400])).to.equal(500);
  });

  it('is zero for a single event', () => {
    expect(longestGapMs([5])).to.equal(0);
  });
});
