import { expect } from 'chai';
import fc from 'fast-check';

import { flameGraph } from '../../../bench/page/flameGraph.js';
import type { FlameFrame } from '../../../bench/results/result.js';
import { elementsIn, malformedIn } from './xml.js';

const frames: readonly FlameFrame[] = [
  { name: 'delivery', stage: 'other', depth: 0, from: 0, ms: 0.4 },
  { name: 'exchange http/exchange.js', stage: 'HTTP', depth: 1, from: 0, ms: 0.3 },
  { name: 'sign', stage: 'sign', depth: 1, from: 0.3, ms: 0.01 },
];

const chart = (shown: readonly FlameFrame[]) => flameGraph({ description: 'costs', frames: shown });

describe('a flame graph', () => {
  it('has a rectangle for each function, as wide as its time', () => {
    const widths = elementsIn(chart(frames), 'rect').map(({ width }) => Number(width));
    expect(widths).to.have.length(3);
    const [delivery = 0, exchange = 0] = widths.toSorted((left, right) => right - left);
    expect(exchange / delivery).to.be.closeTo(0.75, 0.01);
  });

  it('has names that fit, and no others', () => {
    const svg = chart(frames);
    expect(svg).to.include('>delivery<').and.include('>exchange http/exchange.js<');
    expect(svg.match(/>sign</g)).to.have.length(1);
  });

  it('has a legend of the stages', () => {
    expect(chart(frames)).to.include('>HTTP<');
  });

  it('is well-formed, whatever the functions are called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const [frame] = frames;
        const shown = frame === undefined ? [] : [{ ...frame, name }];
        expect(malformedIn(chart(shown))).to.deep.equal([]);
      }),
      { numRuns: 30 },
    );
  });
});
