import { expect } from 'chai';

import { createProgressRate } from '../../../cli/rebuild/progressRate.js';
import type { RebuildProgress } from '../../../cli/rebuild/rebuildProgress.js';

function paceOf(...samples: readonly (readonly [seconds: number, progress: Partial<RebuildProgress>])[]) {
  let time = 0;
  const pace = createProgressRate(() => time);
  return samples
    .map(([seconds, progress]) => {
      time = seconds * 1000;
      return pace.after({ model: 'events', step: 'building', done: 0, total: 1000, ...progress });
    })
    .at(-1);
}

describe('the progress rate of a rebuild', () => {
  it('is unknown at the first sample', () => {
    expect(paceOf([0, { done: 10 }])).to.deep.equal({ rate: 0, left: '' });
  });

  it('is in records a second, with the time left', () => {
    expect(paceOf([0, { done: 0 }], [2, { done: 200 }])).to.deep.equal({ rate: 100, left: '8 s left' });
  });

  it('covers the last ten seconds', () => {
    expect(paceOf([0, { done: 0 }], [100, { done: 10 }], [101, { done: 20 }])?.rate).to.equal(10);
  });

  it('restarts with the next step', () => {
    expect(paceOf([0, { done: 0 }], [1, { done: 500 }], [2, { step: 'comparing', done: 1 }])).to.deep.equal({
      rate: 0,
      left: '',
    });
  });

  it('has no time left at the end', () => {
    expect(paceOf([0, { done: 0 }], [1, { done: 1000 }])?.left).to.equal('');
  });

  for (const [total, left] of [
    [1000 + 100 * 59, '59 s left'],
    [1000 + 100 * 61, '2 min left'],
    [1000 + 100 * 7260, '2 h 1 min left'],
  ] as const) {
    it(`formats the time left: ${left}`, () => {
      expect(paceOf([0, { total }], [10, { done: 1000, total }])?.left).to.equal(left);
    });
  }
});
