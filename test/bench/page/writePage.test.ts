import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import { check } from 'prettier';

import { writePage } from '../../../bench/page/writePage.js';
import { readReports } from '../../../bench/results/readReports.js';
import { scenarios } from '../../../bench/scenarios/all.js';
import { messageOf } from '../../../shared/core/errors.js';
import { reportOf, resultOf } from '../results/reports.js';

describe('the files of the benchmark', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-page-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  const report = reportOf([resultOf('service', { value: 2100.123 }), resultOf('bare', { value: 2800 })]);
  const inDirectory = (name: string) => join(directory, name);

  it('are a page, its charts, and a report from which the page can be rendered again', async () => {
    await writePage(directory, report, scenarios);
    expect((await readdir(directory)).sort()).to.deep.equal(['README.md', 'results.json', 'throughput.svg']);
    expect(await readReports([inDirectory('results.json')])).to.deep.equal(report);
  });

  it('have the format that prettier requires', async () => {
    await writePage(directory, report, scenarios);
    const page = await readFile(inDirectory('README.md'), 'utf8');
    expect(await check(page, { parser: 'markdown' })).to.equal(true);
  });

  it('replace those of an earlier page', async () => {
    await writeFile(inDirectory('gone.svg'), '');
    await writePage(directory, report, scenarios);
    expect(await readdir(directory)).not.to.include('gone.svg');
  });

  it('are rejected if a report is invalid, and the error names the file', async () => {
    await writeFile(inDirectory('other.json'), '{"results":[]}');
    const failure = await readReports([inDirectory('other.json')]).then(() => 'none', messageOf);
    expect(failure).to.match(/other\.json is no report of this benchmark/);
  });
});
