import { expect } from 'chai';

import type { Estimate } from '../../../bench/results/estimate.js';
import { renderTargets, renderTables } from '../../../bench/results/tables.js';
import { atLeast, judge } from '../../../bench/results/targets.js';
import type { SummaryRow } from '../../../bench/results/summary.js';

const columns = (line: string | undefined) =>
  line
    ?.split('│')
    .map((cell) => cell.trim())
    .slice(1, -1);

const once = (median: number): Estimate => ({ median, interval: null, count: 1 });
const certain = (low: number, median: number, high: number): Estimate => ({
  median,
  interval: { low, high },
  count: 10,
});

const rows: readonly SummaryRow[] = [
  {
    ...{ name: 'accepted', unit: '/s' },
    ...{ reference: once(2544.6), service: once(98.76), ratio: certain(0.03, 0.0388, 0.04) },
  },
  { name: 'p50', unit: 'ms', reference: null, service: once(2.345), ratio: null },
  { name: 'p99', unit: 'ms', reference: null, service: certain(6.25, 7, 12.34), ratio: null },
];

describe('the tables of a report', () => {
  it('show three significant digits, a dash for a missing value, and the interval if there is one', () => {
    const [, head, ...lines] = renderTables([{ scenario: 'throughput', rows }], 'bare').split('\n');
    expect(lines.slice(0, 3).map(columns)).to.deep.equal([
      ['accepted', '/s', '2,545', '98.8', '0.039 (0.030 – 0.040)'],
      ['p50', 'ms', '–', '2.35', '–'],
      ['p99', 'ms', '–', '7 (6.25 – 12.3)', '–'],
    ]);
    expect(columns(head)).to.deep.equal(['throughput', '', 'bare', 'service', 'service / bare']);
  });

  it('name the earlier version if the service is compared with one', () => {
    expect(renderTables([{ scenario: 'throughput', rows }], 'earlier')).to.include('service / earlier');
  });

  it('show the targets with their verdicts', () => {
    const targets = judge([atLeast('accepted', 100, '/s'), atLeast('p99', 5, 'ms')], rows);
    const [, , ...lines] = renderTargets([{ scenario: 'throughput', targets }]).split('\n');
    expect(lines.slice(0, 2).map(columns)).to.deep.equal([
      ['throughput', 'accepted', '98.8 /s', '≥ 100 /s', 'undecided'],
      ['throughput', 'p99', '7 (6.25 – 12.3) ms', '≥ 5 ms', 'met'],
    ]);
  });
});
