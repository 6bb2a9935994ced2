import { expect } from 'chai';

import { createRandom } from '../../../shared/core/random.js';

/** More than are drawn from the system at once. */
const several = 5000;

function draw(random: () => number, count: number): number[] {
  return Array.from({ length: count }, random);
}

describe('createRandom', () => {
  it('gives numbers from 0 to below 1', () => {
    expect(draw(createRandom(), several).filter((number) => !(number >= 0 && number < 1))).to.deep.equal([]);
  });

  it('goes on with other numbers once those that it had drawn are used up', () => {
    const numbers = draw(createRandom(), several);

    // All but equal where numbers come again: of fresh ones, one in a thousand runs has a single pair.
    expect(new Set(numbers).size).to.be.above(several - 5);
  });

  it('gives two callers other numbers', () => {
    expect(draw(createRandom(), 10)).to.not.deep.equal(draw(createRandom(), 10));
  });

  it('spreads them evenly', () => {
    const mean = draw(createRandom(), 100_000).reduce((sum, number) => sum + number, 0) / 100_000;

    // Eleven standard deviations.
    expect(mean).to.be.closeTo(0.5, 0.01);
  });
});
