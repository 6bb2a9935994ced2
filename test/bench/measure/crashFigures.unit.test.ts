import { expect } from 'chai';

import { crashFigures } from '../../../bench/measure/crashFigures.js';

/** Five events. The second was never answered, and the fourth never arrived. */
const report = {
  startedAt: Float64Array.of(1000, 1100, 1200, 1300, 1400),
  acceptedAt: Float64Array.of(1010, NaN, 1210, 1310, 3410),
  endedAt: 3410,
  accepted: 4,
  refused: { ECONNRESET: 1 },
};
const arrivals = [{ arrivedAt: Float64Array.of(1020, 9000, 1220, NaN, 4400), repeated: 2 }];

describe('the figures of a crash', () => {
  const valueOf = (name: RegExp) =>
    crashFigures({ report, arrivals }).find((figure) => name.test(figure.name))?.value;

  it('count accepted events that never arrived as lost', () => {
    expect(valueOf(/never delivered/)).to.equal(1);
  });

  it('count repeated deliveries', () => {
    expect(valueOf(/again/)).to.equal(2);
  });

  it('measure the delay of accepted events alone', () => {
    expect(valueOf(/slowest/)).to.equal(3);
  });

  it('measure the longest time without an accepted event', () => {
    expect(valueOf(/nothing was accepted/)).to.be.closeTo(2.1, 1e-9);
  });

  it('measure the longest time without an arrival', () => {
    expect(valueOf(/nothing arrived/)).to.be.closeTo(4.6, 1e-9);
  });
});
