import { expect } from 'chai';

import { renderTables } from '../../../bench/report/tables.js';

const columns = (line: string | undefined) =>
  line
    ?.split('│')
    .map((cell) => cell.trim())
    .slice(1, -1);

describe('the tables of a report', () => {
  it('show three digits that count, and a dash for what was not measured', () => {
    const rows = [
      { name: 'accepted', unit: '/s', bare: 2544.6, service: 98.76, ratio: 0.0388 },
      { name: 'p50', unit: 'ms', bare: null, service: 2.345, ratio: null },
    ] as const;
    const [, , ...lines] = renderTables([{ scenario: 'throughput', rows }]).split('\n');
    expect(lines.slice(0, 2).map(columns)).to.deep.equal([
      ['accepted', '/s', '2,545', '98.8', '0.04'],
      ['p50', 'ms', '–', '2.35', '–'],
    ]);
  });
});
