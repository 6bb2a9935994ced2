import { expect } from 'chai';

import { atLeast, atLeastOfBare, atMost, judge, type Target } from '../../../bench/results/targets.js';
import { summarize } from '../../../bench/results/summary.js';
import { targetText, targetValueText } from '../../../bench/results/text.js';
import { resultOf } from './reports.js';

const [measured] = summarize([
  ...[3000, 1900, 2500].map((value, index) => resultOf('service', { value, run: index + 1 })),
  resultOf('bare', { value: 3125 }),
]);

const judged = (target: Target) => judge([target], measured?.rows ?? [])[0];

describe('targets', () => {
  for (const [target, verdict] of [
    [atLeast('accepted', 2500, '/s'), 'met'],
    [atLeast('accepted', 2501, '/s'), 'not met'],
    [atMost('accepted', 2500, '/s'), 'met'],
    [atMost('accepted', 2499, '/s'), 'not met'],
    [atLeastOfBare('accepted', 0.8), 'met'],
    [atLeastOfBare('accepted', 0.81), 'not met'],
    [atLeast('delivered', 1, '/s'), 'not measured'],
    [atLeastOfBare('delivered', 0.1), 'not measured'],
  ] as const) {
    it(`are ${verdict} by the median where ${target.of} of ${target.figure} is to be ${target.bound} ${target.limit}`, () => {
      expect(judged(target)?.verdict).to.equal(verdict);
    });
  }

  it('have no ratio if only the service was measured', () => {
    const [alone] = summarize([resultOf('service', { value: 1 })]);
    expect(judge([atLeastOfBare('accepted', 0.1)], alone?.rows ?? [])[0]?.verdict).to.equal('not measured');
  });

  it('read as they are set', () => {
    const texts = [
      atLeast('accepted', 2000, '/s'),
      atMost('accepted', 1.1, '/s'),
      atLeastOfBare('accepted', 0.8),
    ].map((target) => {
      const [one] = judge([target], measured?.rows ?? []);
      return one === undefined ? [] : [targetText(one), targetValueText(one)];
    });
    expect(texts).to.deep.equal([
      ['≥ 2,000 /s', '2,500 /s'],
      ['≤ 1.10 /s', '2,500 /s'],
      ['≥ 80 % of bare', '80 % of bare'],
    ]);
  });
});
