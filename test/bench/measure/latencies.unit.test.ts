import { expect } from 'chai';
import fc from 'fast-check';

import { summarizeLatencies } from '../../../bench/measure/latencies.js';

/** The percentile by nearest rank: the smallest value that this percentage of the values does not exceed. */
function exactPercentile(values: readonly number[], percentile: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? NaN;
}

const anyLatencies = fc.array(fc.double({ min: 0.001, max: 120_000, noNaN: true }), {
  minLength: 1,
  maxLength: 500,
  size: 'max',
});

describe('percentiles of latencies', () => {
  for (const [name, percentile] of [
    ['p50', 50],
    ['p95', 95],
    ['p99', 99],
  ] as const) {
    it(`have the ${name} with a precision of a thousandth or a microsecond`, () => {
      fc.assert(
        fc.property(anyLatencies, (latencies) => {
          const exact = exactPercentile(latencies, percentile);
          expect(summarizeLatencies(latencies)[name]).to.be.closeTo(exact, exact / 1000 + 0.001);
        }),
      );
    });
  }

  it('count negative latencies as zero', () => {
    expect(summarizeLatencies([-0.2])).to.deep.equal({ p50: 0, p95: 0, p99: 0 });
  });
});
