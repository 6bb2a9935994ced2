import { expect } from 'chai';
import fc from 'fast-check';

import { barChart } from '../../../../bench/report/plots/barChart.js';
import { lineChart } from '../../../../bench/report/plots/lineChart.js';
import { spreadOf } from '../../../../bench/report/spread.js';
import { openElements } from './openElements.js';

const spread = (...values: number[]) => spreadOf(values);

const numbersOf = (svg: string, pattern: RegExp) =>
  [...svg.matchAll(pattern)].map(([, number]) => Number(number));

/** Of the bars, without the squares of the legend. */
const widthsOf = (svg: string) =>
  numbersOf(svg, /<rect class="\w+" x="[\d.]+" y="[\d.]+" width="([\d.]+)"/g).filter((width) => width !== 12);

const chart = (...groups: Parameters<typeof barChart>[0]['groups']) =>
  barChart({ title: 'speed', unit: '/s', groups });

describe('a chart of bars', () => {
  it('has bars as long as their figures are great', () => {
    const [service = 0, bare = 0] = widthsOf(
      chart({ name: 'accepted', service: spread(1000), bare: spread(2000) }),
    );
    expect(bare / service).to.be.closeTo(2, 0.01);
  });

  it('shows what several runs differ by, and nothing of the kind for one', () => {
    const spreads = (svg: string) => svg.match(/class="spread"/g)?.length ?? 0;
    const svgs = [spread(1, 2, 3), spread(2)].map((service) => chart({ name: 'a', service, bare: null }));
    expect(svgs.map(spreads)).to.deep.equal([1, 0]);
  });

  it('says which bars are whose only where there are two kinds', () => {
    const both = chart({ name: 'a', service: spread(1), bare: spread(1) });
    const alone = chart({ name: 'a', service: spread(1), bare: null });
    expect([both, alone].map((svg) => svg.includes('bare pipeline'))).to.deep.equal([true, false]);
  });

  it('is well-formed, whatever its names hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (name, value) => {
          const svg = barChart({
            title: name,
            unit: 'ms',
            groups: [{ name, service: spread(value), bare: null }],
          });
          expect(openElements(svg)).to.deep.equal([]);
        },
      ),
    );
  });
});

describe('a chart of lines', () => {
  const series = [
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
      name: 'delivered',
      unit: '/s',
      points: [
        [0, 50],
        [2, 150],
      ],
    },
  ] as const;

  it('has a line for each series, with a point for each of its own', () => {
    const lines = [...lineChart({ title: 'killed', series }).matchAll(/<polyline[^>]* points="([^"]*)"/g)];
    expect(lines.map(([, points]) => points?.split(' ').length)).to.deep.equal([3, 2]);
  });

  it('goes up where values grow', () => {
    const [, points = ''] = /points="([^"]*)"/.exec(lineChart({ title: 'killed', series })) ?? [];
    const [first = 0, second = 0, third = 0] = points.split(' ').map((point) => Number(point.split(',')[1]));
    expect(third).to.be.below(first);
    expect(second).to.be.above(first);
  });

  it('is well-formed', () => {
    expect(openElements(lineChart({ title: 'a < b & "c"', series }))).to.deep.equal([]);
  });
});
