import { expect } from 'chai';

import { crashFigureNames, crashFigures } from '../../../bench/measure/crashFigures.js';

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
  const figures = crashFigures({ report, arrivals });

  it('count accepted events that never arrived as lost', () => {
    expect(figures[crashFigureNames.lost]).to.equal(1);
  });

  it('count repeated deliveries', () => {
    expect(figures[crashFigureNames.repeated]).to.equal(2);
  });

  it('measure the delay of accepted events alone', () => {
    expect(figures[crashFigureNames.slowest]).to.equal(3);
  });
});
