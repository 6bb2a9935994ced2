import { expect } from 'chai';

import { csvExport, jsonExport, rowTexts } from '../../../dashboard/export/exportText.js';

const list = String.raw`{"data":[{"id":"a","n":12345678901234567890.10,"text":"one, \"two\""},{"id":"=1+1","n":null,"text":{"x":[1]}}],"hasMore":false}`;

describe('an export of the dashboard', () => {
  it('as JSON keeps every digit', () => {
    expect(jsonExport(rowTexts(list))).to.contain('"n":12345678901234567890.10');
    expect(JSON.parse(jsonExport(rowTexts(list)))).to.have.lengthOf(2);
    expect(jsonExport([])).to.equal('[]\n');
  });

  it('as CSV quotes fields, keeps every digit, and contains no formulas', () => {
    const lines = csvExport(['id', 'n', 'text', 'other'], rowTexts(list)).split('\r\n');
    expect(lines).to.deep.equal([
      'id,n,text,other',
      'a,12345678901234567890.10,"one, ""two""",',
      `'=1+1,,"{""x"":[1]}",`,
      '',
    ]);
  });

  it('as CSV keeps negative numbers', () => {
    expect(csvExport(['n'], ['{"n":-1.5}', '{"n":"-x"}'])).to.equal("n\r\n-1.5\r\n'-x\r\n");
  });
});
