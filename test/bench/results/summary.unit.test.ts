import { expect } from 'chai';

import { summarize } from '../../../bench/results/summary.js';
import { resultOf } from './reports.js';

const rowOf = (...results: Parameters<typeof summarize>[0]) => summarize(results)[0]?.rows[0];

describe('the summary of a report', () => {
  it('has the median of each pipeline, and the median of the ratios of the pairs', () => {
    const row = rowOf(
      ...[1000, 5000, 2000].map((value, index) => resultOf('bare', { pair: index + 1, value })),
      ...[2000, 500, 2400].map((value, index) => resultOf('service', { pair: index + 1, value })),
    );
    expect([row?.reference, row?.service, row?.ratio].map((estimate) => estimate?.median)).to.deep.equal([
      2000, 2000, 1.2,
    ]);
  });

  it('has the ratio to an earlier version', () => {
    const row = rowOf(resultOf('earlier', { value: 4 }), resultOf('service', { value: 3 }));
    expect(row?.ratio?.median).to.equal(0.75);
  });

  it('ignores a block without its counterpart in the ratio', () => {
    const row = rowOf(
      resultOf('bare', { value: 2 }),
      resultOf('service', { value: 3 }),
      resultOf('service', { value: 100, pair: 2 }),
    );
    expect(row?.ratio).to.include({ median: 1.5, count: 1 });
  });

  it('has a wider interval if the starts differ than if the blocks of a start do', () => {
    const widthOf = (startOf: (pair: number) => number) => {
      const values = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2];
      const row = rowOf(
        ...values.map((value, index) =>
          resultOf('service', { value, pair: index + 1, start: startOf(index) }),
        ),
      );
      const { low, high } = row?.service?.interval ?? { low: NaN, high: NaN };
      return high - low;
    };
    expect(widthOf((index) => Math.floor(index / 5))).to.equal(1);
    expect(widthOf((index) => index % 2)).to.be.at.most(1);
  });

  it('has no ratio if only the service was measured', () => {
    expect(rowOf(resultOf('service', { value: 7 }))).to.deep.include({ reference: null, ratio: null });
  });

  it('has no ratio to nothing', () => {
    const row = rowOf(resultOf('bare', { value: 0 }), resultOf('service', { value: 7 }));
    expect(row?.ratio).to.equal(null);
  });

  it('keeps scenarios apart, in their order', () => {
    const summaries = summarize([
      resultOf('bare', { value: 1, scenario: 'steady' }),
      resultOf('bare', { value: 5, scenario: 'backlog' }),
    ]);
    expect(summaries.map(({ scenario, rows }) => [scenario, rows[0]?.reference?.median])).to.deep.equal([
      ['steady', 1],
      ['backlog', 5],
    ]);
  });
});
