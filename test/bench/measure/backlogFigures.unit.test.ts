import { expect } from 'chai';

import { backlogFigures } from '../../../bench/measure/backlogFigures.js';

const loadOf = (startedAt: readonly number[], endedAt: number) => ({
  startedAt: Float64Array.from(startedAt),
  acceptedAt: Float64Array.from(startedAt),
  endedAt,
  accepted: startedAt.length,
  refused: {},
});

/** 4 a second are accepted and 2 delivered without a backlog; 2 and 3 with one. */
const figures = backlogFigures({
  without: {
    report: loadOf([0, 250, 500, 750], 1000),
    arrivals: [{ arrivedAt: Float64Array.of(10, 20, 30, 2000), repeated: 0 }],
  },
  report: loadOf([5000, 5500], 6000),
  arrivals: [
    { arrivedAt: Float64Array.of(4500, 5100, 5200, 5300), repeated: 0 },
    { arrivedAt: Float64Array.of(6400, 7500), repeated: 0 },
  ],
});

describe('figures of a backlog', () => {
  it('compare what is accepted and delivered with it and without it', () => {
    expect(figures.map(({ name, value }) => [name, value])).to.deep.equal([
      ['accepted without a backlog', 4],
      ['accepted with a backlog', 2],
      ['accepted with a backlog / without', 0.5],
      ['delivered without a backlog', 2],
      ['delivered with a backlog, while others are posted', 3],
      ['delivered with a backlog / without', 1.5],
      ['delivered from the first of the backlog until drained', 2],
    ]);
  });
});
