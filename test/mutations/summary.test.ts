import { expect } from 'chai';
import { check, resolveConfig } from 'prettier';

import { readSummary, writeSummary, type ListRun } from './summary.js';

const run: ListRun = {
  ...{ list: 'reading', entries: 12, noticed: 12, seconds: 340 },
  ...{ date: '2026-11-21T18:30Z', commit: 'de0e75b' },
};

describe('the summary of mutations', () => {
  it('is read as it was written', () => {
    expect(readSummary(writeSummary([run]))).to.deep.equal([run]);
  });

  it('has the latest run of each list, in the order of their names', () => {
    const again = { ...run, noticed: 11 };
    const other = { ...run, list: 'account' };

    expect(readSummary(writeSummary([run, other, again]))).to.deep.equal([other, again]);
  });

  it('is laid out as the formatter has it', async () => {
    const options = { ...(await resolveConfig('docs/api.md')), parser: 'markdown' };

    expect(await check(writeSummary([run]), options)).to.equal(true);
  });
});
