import { expect } from 'chai';

import { lineChart } from '../../../bench/page/lineChart.js';
import type { Series } from '../../../bench/results/result.js';
import { elementsIn, groupsIn, malformedIn } from './xml.js';

const series: readonly Series[] = [
  {
    name: 'accepted',
    unit: '/s',
    points: [
      [0, 100],
      [1, 0],
      [2, 200],
    ],
  },
  {
    name: 'delivered & "read"',
    unit: '/s',
    points: [
      [0, 50],
      [2, 150],
    ],
  },
];

const chart = () => lineChart({ description: 'a < b & "c"', series });

/** The points of each line. */
const linesOf = (svg: string) =>
  groupsIn(svg, 'line \\w+')
    .flatMap((line) => elementsIn(line, 'path'))
    .map(({ d = '' }) =>
      d
        .split(/[ML]/)
        .slice(1)
        .map((point) => point.split(',').map(Number)),
    );

describe('a line chart', () => {
  it('has a line for each series with all of its points', () => {
    expect(linesOf(chart()).map((points) => points.length)).to.deep.equal([3, 2]);
  });

  it('draws larger values higher', () => {
    const [[first = [], second = [], third = []] = []] = linesOf(chart());
    const [y1 = 0, y2 = 0, y3 = 0] = [first, second, third].map(([, y]) => y);
    expect(y3).to.be.below(y1);
    expect(y2).to.be.above(y1);
  });

  it('names its series, and its axes with their units', () => {
    expect(chart()).to.include('>accepted<').and.include('>time (s)<').and.include('>rate (per second)<');
  });

  it('is deterministic and well-formed', () => {
    expect(chart()).to.equal(chart());
    expect(malformedIn(chart())).to.deep.equal([]);
  });
});
