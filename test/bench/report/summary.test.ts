import { expect } from 'chai';

import type { Result } from '../../../bench/report/result.js';
import { median, summarize } from '../../../bench/report/summary.js';

function result(pipeline: Result['pipeline'], run: number, value: number, scenario = 'throughput'): Result {
  return { scenario, pipeline, run, figures: [{ name: 'accepted', unit: '/s', value }], othersShare: 0 };
}

describe('the summary of a report', () => {
  it('has the median of the runs of each pipeline, and their ratio', () => {
    const results = [
      ...[1000, 5000, 2000].map((value, index) => result('bare', index + 1, value)),
      ...[1500, 100, 9000].map((value, index) => result('service', index + 1, value)),
    ];
    expect(summarize(results)).to.deep.equal([
      {
        scenario: 'throughput',
        rows: [{ name: 'accepted', unit: '/s', bare: 2000, service: 1500, ratio: 0.75 }],
      },
    ]);
  });

  it('has no ratio where only the service was measured', () => {
    const [summary] = summarize([result('service', 1, 7)]);
    expect(summary?.rows[0]).to.deep.include({ bare: null, service: 7, ratio: null });
  });

  it('has no ratio to nothing', () => {
    const [summary] = summarize([result('bare', 1, 0), result('service', 1, 7)]);
    expect(summary?.rows[0]?.ratio).to.equal(null);
  });

  it('keeps scenarios apart, in their order', () => {
    const summaries = summarize([result('bare', 1, 1, 'steady'), result('bare', 1, 5, 'backlog')]);
    expect(summaries.map(({ scenario, rows }) => [scenario, rows[0]?.bare])).to.deep.equal([
      ['steady', 1],
      ['backlog', 5],
    ]);
  });

  it('takes the mean of the middle two for the median of an even number', () => {
    expect(median([10, 1, 4, 2])).to.equal(3);
  });
});
