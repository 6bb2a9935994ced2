import { expect } from 'chai';
import fc from 'fast-check';

import { barChart, barGroupText, type BarGroup } from '../../../bench/page/barChart.js';
import { estimate } from '../../../bench/results/estimate.js';
import { elementsIn, groupsIn, malformedIn } from './xml.js';

const estimateOf = (...values: number[]) => estimate([values]);

const chart = (...groups: BarGroup[]) => barChart({ description: 'speed', unit: '/s', groups });

const both: BarGroup = { name: 'accepted', service: estimateOf(1000), reference: estimateOf(2000) };

/** The lengths of the bars of a pipeline, by its color. */
const lengthsOf = (svg: string, color: 'first' | 'second') =>
  groupsIn(svg, `area ${color}`).flatMap((bars) =>
    elementsIn(bars, 'rect').map(({ width }) => Number(width)),
  );

describe('a bar chart', () => {
  it('has bars of both pipelines, as long as their medians are large', () => {
    const svg = chart(both, {
      name: 'delivered',
      service: estimateOf(500),
      reference: estimateOf(1, 1500, 1900),
    });
    const [accepted = 0, ...others] = [...lengthsOf(svg, 'first'), ...lengthsOf(svg, 'second')];
    expect(others.map((length) => Math.round((100 * length) / accepted))).to.deep.equal([50, 200, 150]);
  });

  it('has a line only if there is an interval', () => {
    const lines = [estimateOf(1, 2, 3, 4, 5, 6, 7, 8), estimateOf(2)].map((service) =>
      groupsIn(chart({ name: 'a', service, reference: null }), 'spread').flatMap((group) =>
        elementsIn(group, 'line'),
      ),
    );
    expect(lines.map(({ length }) => length)).to.deep.equal([1, 0]);
  });

  it('names the pipelines only if there are two', () => {
    const svgs = [chart(both), chart({ ...both, reference: null })];
    expect(svgs.map((svg) => svg.includes('bare pipeline'))).to.deep.equal([true, false]);
  });

  it('has an axis title with the unit', () => {
    expect(chart(both)).to.include('>rate (per second)<');
  });

  it('is the same text each time', () => {
    expect(chart(both)).to.equal(chart(both));
  });

  it('has its description as text alternative, a namespace, and colors for dark pages', () => {
    const svg = chart(both);
    expect(elementsIn(svg, 'svg')[0]).to.include({ xmlns: 'http://www.w3.org/2000/svg', role: 'img' });
    expect(svg).to.include('><title>speed</title>').and.include('@media(prefers-color-scheme:dark)');
  });

  it('is well-formed, whatever its names contain', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (name, value) => {
          const groups = [{ name, service: estimateOf(value), reference: null }];
          expect(malformedIn(barChart({ description: name, unit: 'ms', groups }))).to.deep.equal([]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a group of bars in words', () => {
  it('has the medians of the pipelines that were measured', () => {
    const texts = [both, { ...both, reference: null }].map(barGroupText);
    expect(texts).to.deep.equal(['accepted: service 1,000, bare pipeline 2,000', 'accepted: service 1,000']);
  });
});
