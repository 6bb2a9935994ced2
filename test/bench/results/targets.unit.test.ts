import { expect } from 'chai';
import fc from 'fast-check';

import type { Estimate } from '../../../bench/results/estimate.js';
import { atLeast, atMost, verdictOn } from '../../../bench/results/targets.js';

const certain = (low: number, median: number, high: number): Estimate => ({
  median,
  interval: { low, high },
  count: 10,
});

const accepted = certain(2400, 2500, 2600);

describe('the verdict on a target', () => {
  for (const [target, verdict] of [
    // The median decides, and the worse end may be 5 % of the limit beyond the limit.
    [atLeast(2500), 'met'],
    [atLeast(2526), 'undecided'],
    [atLeast(2600), 'undecided'],
    [atLeast(2601), 'missed'],
    [atMost(2500), 'met'],
    [atMost(2450), 'undecided'],
    [atMost(2399), 'missed'],
  ] as const) {
    it(`is "${verdict}" if 2,500 (2,400 – 2,600) should be ${target.bound} ${target.limit}`, () => {
      expect(verdictOn(accepted, target)).to.equal(verdict);
    });
  }

  it('is "not measured" without an estimate', () => {
    expect(verdictOn(null, atLeast(1))).to.equal('not measured');
  });

  it('is "undecided" if the worse end is too far beyond the limit, although the median meets it', () => {
    expect(verdictOn(certain(90, 100, 120), { bound: 'at most', limit: 105 })).to.equal('undecided');
  });

  it('is "undecided" without an interval', () => {
    const once = { median: 1, interval: null, count: 1 };
    expect(verdictOn(once, { bound: 'at most', limit: 100 })).to.equal('undecided');
  });

  it('is "met" if nothing is allowed and nothing was found', () => {
    expect(verdictOn(certain(0, 0, 0), { bound: 'at most', limit: 0 })).to.equal('met');
  });

  it('never becomes better if the limit becomes stricter', () => {
    const order = ['missed', 'undecided', 'met'];
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 1000 }),
        (values, limit) => {
          const [low = 0, median = 0, high = 0] = values.toSorted((left, right) => left - right);
          const estimate = certain(low, median, high);
          const rankAt = (strictLimit: number) =>
            order.indexOf(verdictOn(estimate, { bound: 'at most', limit: strictLimit }));
          expect(rankAt(limit)).to.be.at.least(rankAt(limit - 1));
        },
      ),
    );
  });
});
