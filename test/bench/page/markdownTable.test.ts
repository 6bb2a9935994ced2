import { expect } from 'chai';

import { markdownTable } from '../../../bench/page/markdownTable.js';

describe('a table of a page', () => {
  it('has a head, a rule that aligns its columns, and rows', () => {
    const table = markdownTable({ head: ['figure', 'is'], align: ['left', 'right'], rows: [['p50', '3']] });
    expect(table).to.equal('| figure | is |\n| --- | ---: |\n| p50 | 3 |');
  });

  it('keeps a cell in its place, whatever it holds', () => {
    const table = markdownTable({ head: ['a'], align: ['left'], rows: [['b | c\nd']] });
    expect(table.split('\n').at(-1)).to.equal('| b \\| c d |');
  });
});
