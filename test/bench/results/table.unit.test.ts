import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { format } from 'prettier';

import type { Report } from '../../../bench/results/report.js';
import type { ScenarioRows } from '../../../bench/results/rows.js';
import { runTable } from '../../../bench/results/table.js';
import { atLeast, atLeastOfBare } from '../../../bench/results/targets.js';
import { docs, pageTable, withContent } from '../../../bench/results/writeDocs.js';
import { scenarios } from '../../../bench/scenarios/all.js';
import { blockOf, emptyReport } from './reports.js';

const rows: readonly ScenarioRows[] = [
  {
    name: 'throughput',
    rows: [
      {
        figure: 'accepted',
        unit: '/s',
        targets: [atLeast(2000), atLeastOfBare(0.9)],
      },
      { figure: 'peak', unit: 'MB' },
    ],
  },
];

const report: Report = {
  ...emptyReport,
  blocks: [1, 2, 3, 4, 5, 6, 7, 8].flatMap((pair) => [
    blockOf('service', { pair, value: 2500, othersShare: 0.061, repeats: 2 }),
    blockOf('bare', { pair, value: 3125 }),
  ]),
};

describe('the table of a run', () => {
  const linesOf = (one: Report) => runTable(one, rows).split('\n');

  it('has a row for each figure: the pipelines, the ratio, and the targets with their verdicts', () => {
    expect(linesOf(report).slice(0, 4)).to.deep.equal([
      '| scenario | figure |  | service | bare | service / bare | should be |',
      '| --- | --- | --- | ---: | ---: | ---: | --- |',
      '| `throughput` | accepted | /s | 2,500 (2,500 – 2,500) | 3,125 (3,125 – 3,125) | 0.800 (0.800 – 0.800) | ≥ 2,000 met, ≥ 0.90 × bare missed |',
      '| `throughput` | peak | MB | – | – | – |  |',
    ]);
  });

  it('has no targets in a quick run, or next to an earlier version', () => {
    const heads = [
      { ...report, quick: true },
      { ...report, against: 'v1' },
    ].map((one) => linesOf(one)[0]);
    expect(heads).to.deep.equal([
      '| scenario | figure |  | service | bare | service / bare |',
      '| scenario | figure |  | service | earlier | service / earlier |',
    ]);
  });

  it('names the commit, the machine, the share of other programs, and the failures', () => {
    const failed = { ...report, failures: [{ scenario: 'kill', start: 1, reason: 'no\n  reply' }] };
    expect(linesOf(failed).slice(5)).to.deep.equal([
      'Measured of commit `abc1234` on 2026-11-21: 2 × Processor, 16 GiB, Linux, Node 24.',
      '',
      'Other programs took at most 6.1 % of the CPU time of a block, more than 5 % in 8 of 16 blocks. Repeated blocks: 16.',
      '',
      '**Failed**: kill, start 1: no / reply',
    ]);
  });
});

describe('the figures in the documentation', () => {
  it('are those of the stored report', async () => {
    const page = await readFile(docs.page, 'utf8');
    const report = JSON.parse(await readFile(docs.results, 'utf8')) as Report;
    const [expected, actual] = await Promise.all(
      [withContent(page, pageTable(report, scenarios)), page].map((text) =>
        format(text, { parser: 'markdown' }),
      ),
    );
    // To mend it: npm run bench -- --from docs/benchmarks/results.json --docs
    expect(actual).to.equal(expected);
  });

  it('are explained for each scenario', async () => {
    const page = await readFile(docs.page, 'utf8');
    const missing = scenarios.filter(({ name }) => !page.includes(`- **${name}**`));
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
  });
});
