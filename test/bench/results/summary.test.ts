import { expect } from 'chai';

import { summarize } from '../../../bench/results/summary.js';
import { resultOf } from './reports.js';

describe('the summary of a report', () => {
  it('has the median of the runs of each pipeline with its spread, and the ratio of both', () => {
    const results = [
      ...[1000, 5000, 2000].map((value, index) => resultOf('bare', { run: index + 1, value })),
      ...[1500, 100, 9000].map((value, index) => resultOf('service', { run: index + 1, value })),
    ];
    expect(summarize(results)).to.deep.equal([
      {
        scenario: 'throughput',
        rows: [
          {
            name: 'accepted',
            unit: '/s',
            bare: { median: 2000, least: 1000, most: 5000, runs: 3 },
            service: { median: 1500, least: 100, most: 9000, runs: 3 },
            ratio: 0.75,
          },
        ],
      },
    ]);
  });

  it('has no ratio if only the service was measured', () => {
    const [summary] = summarize([resultOf('service', { value: 7 })]);
    expect(summary?.rows[0]).to.deep.include({ bare: null, ratio: null });
  });

  it('has no ratio to nothing', () => {
    const [summary] = summarize([resultOf('bare', { value: 0 }), resultOf('service', { value: 7 })]);
    expect(summary?.rows[0]?.ratio).to.equal(null);
  });

  it('keeps scenarios apart, in their order', () => {
    const summaries = summarize([
      resultOf('bare', { value: 1, scenario: 'steady' }),
      resultOf('bare', { value: 5, scenario: 'backlog' }),
    ]);
    expect(summaries.map(({ scenario, rows }) => [scenario, rows[0]?.bare?.median])).to.deep.equal([
      ['steady', 1],
      ['backlog', 5],
    ]);
  });
});
