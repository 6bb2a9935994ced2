import { expect } from 'chai';
import fc from 'fast-check';

import {
  atLeast,
  atLeastOfBare,
  atMost,
  judge,
  verdictOn,
  type Target,
} from '../../../bench/results/targets.js';
import type { Estimate } from '../../../bench/results/estimate.js';
import type { SummaryRow } from '../../../bench/results/summary.js';
import { targetText, targetValueText } from '../../../bench/results/text.js';

const certain = (low: number, median: number, high: number): Estimate => ({
  median,
  interval: { low, high },
  count: 10,
});

const row: SummaryRow = {
  ...{ name: 'accepted', unit: '/s' },
  service: certain(2400, 2500, 2600),
  reference: certain(3000, 3125, 3200),
  ratio: certain(0.78, 0.8, 0.82),
};

const judged = (target: Target) => judge([target], [row])[0];

describe('the verdict on a target', () => {
  for (const [target, verdict] of [
    // The median decides, and the worse end may be 5 % of the limit beyond the limit.
    [atLeast('accepted', 2500, '/s'), 'met'],
    [atLeast('accepted', 2526, '/s'), 'undecided'],
    [atLeast('accepted', 2600, '/s'), 'undecided'],
    [atLeast('accepted', 2601, '/s'), 'missed'],
    [atMost('accepted', 2500, '/s'), 'met'],
    [atMost('accepted', 2450, '/s'), 'undecided'],
    [atMost('accepted', 2399, '/s'), 'missed'],
    [atLeastOfBare('accepted', 0.8), 'met'],
    [atLeastOfBare('accepted', 0.81), 'undecided'],
    [atLeastOfBare('accepted', 0.83), 'missed'],
    [atLeast('delivered', 1, '/s'), 'not measured'],
    [atLeastOfBare('delivered', 0.1), 'not measured'],
  ] as const) {
    it(`is "${verdict}" if the ${target.of} of ${target.figure} should be ${target.bound} ${target.limit}`, () => {
      expect(judged(target)?.verdict).to.equal(verdict);
    });
  }

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

describe('the text of a target', () => {
  it('has the limit, and the value with its interval', () => {
    const texts = [
      atLeast('accepted', 2000, '/s'),
      atMost('accepted', 1.1, '/s'),
      atLeastOfBare('accepted', 0.8),
    ].map((target) => {
      const one = judged(target);
      return one === undefined ? [] : [targetText(one), targetValueText(one)];
    });
    expect(texts).to.deep.equal([
      ['≥ 2,000 /s', '2,500 (2,400 – 2,600) /s'],
      ['≤ 1.10 /s', '2,500 (2,400 – 2,600) /s'],
      ['≥ 80 % of bare', '80 (78 – 82) % of bare'],
    ]);
  });
});
