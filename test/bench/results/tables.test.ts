import { expect } from 'chai';

import { renderTargets, renderTables } from '../../../bench/results/tables.js';
import { atLeast, judge } from '../../../bench/results/targets.js';
import type { SummaryRow } from '../../../bench/results/summary.js';

const columns = (line: string | undefined) =>
  line
    ?.split('│')
    .map((cell) => cell.trim())
    .slice(1, -1);

const once = (median: number) => ({ median, least: median, most: median, runs: 1 });

const rows: readonly SummaryRow[] = [
  { name: 'accepted', unit: '/s', bare: once(2544.6), service: once(98.76), ratio: 0.0388 },
  { name: 'p50', unit: 'ms', bare: null, service: once(2.345), ratio: null },
  {
    name: 'p99',
    unit: 'ms',
    bare: null,
    service: { median: 7, least: 6.25, most: 12.34, runs: 3 },
    ratio: null,
  },
];

describe('the tables of a report', () => {
  it('show three digits that count, a dash for what was not measured, and the spread of several runs', () => {
    const [, , ...lines] = renderTables([{ scenario: 'throughput', rows }]).split('\n');
    expect(lines.slice(0, 3).map(columns)).to.deep.equal([
      ['accepted', '/s', '2,545', '98.8', '0.04'],
      ['p50', 'ms', '–', '2.35', '–'],
      ['p99', 'ms', '–', '7 (6.25 – 12.3)', '–'],
    ]);
  });

  it('show what was to be reached and whether it was', () => {
    const targets = judge([atLeast('accepted', 100, '/s')], rows);
    const [, , line] = renderTargets([{ scenario: 'throughput', targets }]).split('\n');
    expect(columns(line)).to.deep.equal(['throughput', 'accepted', '98.8 /s', '≥ 100 /s', 'not met']);
  });
});
