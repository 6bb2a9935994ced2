import { expect } from 'chai';
import fc from 'fast-check';

import { scaleTo } from '../../../../bench/report/plots/scale.js';

describe('the scale of a plot', () => {
  it('ends at a round number', () => {
    expect(scaleTo(2345).ticks).to.deep.equal([0, 500, 1000, 1500, 2000, 2500]);
  });

  it('is there where there is nothing to show', () => {
    expect(scaleTo(0).end).to.equal(1);
  });

  it('has room for what it is made for, with few ticks, and wastes at most half of it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (most) => {
        const { end, ticks, at } = scaleTo(most);
        expect(at(most)).to.be.within(0.5, 1 + 1e-9);
        expect(ticks).to.have.lengthOf.within(2, 12);
        expect(ticks.at(-1)).to.be.closeTo(end, end * 1e-9);
      }),
    );
  });
});
