import { expect } from 'chai';

import { createRandom } from '../../../shared/core/random.js';

/** More than are drawn from the system at once. */
const several = 5000;

function draw(random: () => number, count: number): number[] {
  return Array.from({ length: count }, random);
}

describe('createRandom', () => {
  it('returns numbers from 0 to below 1', () => {
    expect(draw(createRandom(), several).filter((number) => !(number >= 0 && number < 1))).to.deep.equal([]);
  });

  it('draws new numbers from the system when its buffer is exhausted', () => {
    const numbers = draw(createRandom(), several);

    // With new numbers, one run in a thousand has a pair of equal ones. With reused numbers most would be equal.
    expect(new Set(numbers).size).to.be.above(several - 5);
  });

  it('returns different numbers to two callers', () => {
    expect(draw(createRandom(), 10)).to.not.deep.equal(draw(createRandom(), 10));
  });

  it('returns evenly distributed numbers', () => {
    const mean = draw(createRandom(), 100_000).reduce((sum, number) => sum + number, 0) / 100_000;

    // Eleven standard deviations.
    expect(mean).to.be.closeTo(0.5, 0.01);
  });
});
