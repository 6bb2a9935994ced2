import { expect } from 'chai';

import { markdownTable } from '../../../bench/page/markdownTable.js';

describe('a Markdown table of the benchmark page', () => {
  it('has a head, a rule with the alignment of the columns, and rows', () => {
    const table = markdownTable({ head: ['figure', 'is'], align: ['left', 'right'], rows: [['p50', '3']] });
    expect(table).to.equal('| figure | is |\n| --- | ---: |\n| p50 | 3 |');
  });

  it('escapes the text of a cell', () => {
    const table = markdownTable({ head: ['a'], align: ['left'], rows: [['b | c\nd']] });
    expect(table.split('\n').at(-1)).to.equal('| b \\| c d |');
  });
});
