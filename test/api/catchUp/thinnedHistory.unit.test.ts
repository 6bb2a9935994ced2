import { expect } from 'chai';
import fc from 'fast-check';

import { thinned } from '../../../api/catchUp/thinnedHistory.js';

function historyOf(times: readonly number[], limit: number): readonly number[] {
  return times.reduce<readonly number[]>(
    (history, time) => thinned([...history, time], (entry) => entry, limit),
    [],
  );
}

describe('a thinned history', () => {
  it('has all entries up to its limit', () => {
    expect(historyOf([1, 2, 3], 3)).to.deep.equal([1, 2, 3]);
  });

  it('has its oldest and newest entry, in order and within its limit', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(steps, fc.integer({ min: 3, max: 20 }), (gaps, limit) => {
        let time = 0;
        const times = gaps.map((gap) => (time += gap));
        const history = historyOf(times, limit);
        expect([history[0], history.at(-1)]).to.deep.equal([times[0], times.at(-1)]);
        expect(history.length).to.be.at.most(limit);
        expect(history).to.deep.equal([...history].sort((one, other) => one - other));
      }),
    );
  });

  it('has gaps that grow with their age', () => {
    const times = Array.from({ length: 2000 }, (_, index) => index);
    const history = historyOf(times, 30);
    const behind = history
      .slice(1)
      .map((time, index) => [time - (history[index] ?? 0), 1999 - time] as const);
    const widest = Math.max(...behind.map(([gap, age]) => gap / (age + 10)));
    expect(widest).to.be.below(1);
  });
});
