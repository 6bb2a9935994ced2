import { expect } from 'chai';
import fc from 'fast-check';

import { median, spreadOf } from '../../../bench/results/spread.js';

const anyValues = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });

describe('the spread of several runs', () => {
  it('takes the mean of the middle two for the median of an even number', () => {
    expect(median([10, 1, 4, 2])).to.equal(3);
  });

  it('is none of no runs', () => {
    expect(spreadOf([])).to.equal(null);
  });

  it('has the least and the most, and the median between them', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const spread = spreadOf(values);
        expect(spread).to.include({
          least: Math.min(...values),
          most: Math.max(...values),
          runs: values.length,
        });
        expect(spread?.median).to.be.within(Math.min(...values), Math.max(...values));
      }),
    );
  });

  it('has as many runs below its median as above', () => {
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
