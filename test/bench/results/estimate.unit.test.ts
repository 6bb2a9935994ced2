import { expect } from 'chai';
import fc from 'fast-check';

import { estimate, median } from '../../../bench/results/estimate.js';

const anyNumber = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const anyValues = fc.array(anyNumber, { minLength: 1, maxLength: 30 });
const anyGroups = fc.array(fc.array(anyNumber, { minLength: 4, maxLength: 8 }), {
  minLength: 2,
  maxLength: 4,
});

describe('the median', () => {
  it('is the mean of the middle two values if their number is even', () => {
    expect(median([10, 1, 4, 2])).to.equal(3);
  });

  it('has as many values below it as above it', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const middle = median(values) ?? NaN;
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).to.be.at.most(values.length / 2);
      }),
    );
  });
});

describe('the estimate of a figure', () => {
  it('is null if there are no values', () => {
    expect(estimate([[], []])).to.equal(null);
  });

  it('has no interval if there are too few values', () => {
    expect(estimate([[1, 2, 3, 4, 5, 6, 7]])).to.deep.equal({ median: 4, interval: null, count: 7 });
  });

  it('has an interval that contains the median, within the smallest and the largest value', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const values = groups.flat();
        const { median: middle, interval } = estimate(groups) ?? { median: NaN, interval: null };
        expect(interval?.low).to.be.within(Math.min(...values), middle);
        expect(interval?.high).to.be.within(middle, Math.max(...values));
      }),
      { numRuns: 6 },
    );
  });

  it('is the same for the same values', () => {
    const groups = [[1, 5, 2, 9, 4, 4.5, 3, 8, 7]];
    expect(estimate(groups)).to.deep.equal(estimate(groups));
  });

  it('grows with the values', () => {
    fc.assert(
      fc.property(anyGroups, fc.integer({ min: 2, max: 9 }), (groups, factor) => {
        const [once, larger] = [groups, groups.map((group) => group.map((value) => value * factor))].map(
          (values) => estimate(values)?.interval,
        );
        expect(larger?.low).to.be.closeTo((once?.low ?? NaN) * factor, 1e-6);
        expect(larger?.high).to.be.closeTo((once?.high ?? NaN) * factor, 1e-6);
      }),
      { numRuns: 6 },
    );
  });

  it('is less certain if the values of each start resemble each other', () => {
    const spread = [1.02, 0.99, 1.01, 0.98, 1, 1.03, 0.97, 1.015];
    const widthOf = (groups: readonly (readonly number[])[]) => {
      const { low, high } = estimate(groups)?.interval ?? { low: NaN, high: NaN };
      return high - low;
    };
    const alike = [spread, spread];
    const apart = [spread.map((value) => value - 0.03), spread.map((value) => value + 0.03)];
    expect(widthOf(apart)).to.be.greaterThan(1.5 * widthOf(alike));
  });
});
