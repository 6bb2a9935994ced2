import { expect } from 'chai';

import { atLeast } from '../../../bench/results/targets.js';
import { renderPage } from '../../../bench/page/page.js';
import type { ScenarioDescription } from '../../../bench/results/scenarioDescription.js';
import { reportOf, resultOf } from '../results/reports.js';

const scenario: ScenarioDescription = {
  name: 'throughput',
  description: 'as fast as it can be posted',
  targets: [atLeast('accepted', 2000, '/s'), atLeast('delivered', 1, '/s')],
  plotted: ['accepted'],
};

const other: ScenarioDescription = {
  name: 'idle',
  description: 'nothing happens',
};

const measured = reportOf([
  ...[2100, 1900, 2500, 2100, 2100, 2150, 2100, 2200].map((value, index) =>
    resultOf('service', { value, pair: index + 1 }),
  ),
  ...Array.from({ length: 8 }, (_, index) => resultOf('bare', { value: 2800, pair: index + 1 })),
]);

const linesWith = (markdown: string, text: string) =>
  markdown.split('\n').filter((line) => line.includes(text));

describe('the page of the benchmark', () => {
  it('has each figure with its interval and the interval of its ratio', () => {
    const { markdown } = renderPage(measured, [scenario]);
    expect(markdown).to.include(
      '| accepted | /s | 2,100 (2,000 – 2,350) | 2,800 (2,800 – 2,800) | 0.750 (0.714 – 0.839) |',
    );
  });

  it('says of each target whether it is met', () => {
    const { markdown } = renderPage(measured, [scenario]);
    expect(markdown).to.include('| accepted | 2,100 (2,000 – 2,350) /s | ≥ 2,000 /s | met |');
    expect(markdown).to.include('| delivered | – | ≥ 1 /s | not measured |');
  });

  it('names what it was measured on', () => {
    const { markdown } = renderPage(measured, [scenario]);
    expect(markdown).to.include('| processors | 2 × Any processor |').and.include('| Kafka | 4.3.0 |');
  });

  it('says when and how often a scenario was measured, and how much other programs took', () => {
    const { markdown } = renderPage(measured, [scenario]);
    expect(markdown).to.include(
      'Measured on 2026-11-21, commit `abc1234`. 8 pairs of blocks, 1 start. Other programs took at most 0 % of the CPU time in a block. 0 blocks were repeated.',
    );
  });

  it('has the scenarios that were not measured too', () => {
    const { markdown } = renderPage(measured, [scenario, other]);
    expect(markdown).to.match(/### idle\n\nNothing happens\. Not measured yet\./);
  });

  it('tells what has failed, with its reason', () => {
    const failures = [{ ...resultOf('service', { value: 0 }), reason: 'lost\n  its last words' }];
    const { markdown } = renderPage(reportOf([], { failures }), [scenario]);
    expect(linesWith(markdown, '**Failed**')).to.deep.equal(['**Failed**, start 1: lost / its last words']);
  });

  it('warns of the figures of a quick run', () => {
    const [quick, whole] = [true, false].map((isQuick) =>
      renderPage({ ...measured, quick: isQuick }, [scenario]).markdown.includes('quick run'),
    );
    expect([quick, whole]).to.deep.equal([true, false]);
  });

  it('has a chart of the figures that a scenario plots, with the medians in its text alternative', () => {
    const { markdown, charts } = renderPage(measured, [scenario, other]);
    expect(charts.map(({ fileName }) => fileName)).to.deep.equal(['throughput.svg']);
    expect(linesWith(markdown, '![')).to.deep.equal([
      '![Bar chart of throughput, rate (per second). accepted: service 2,100, bare pipeline 2,800.](throughput.svg)',
    ]);
  });

  it('has a chart of a series over time, with its peak in its text alternative', () => {
    const points = [
      [0, 1],
      [12, 250],
    ] as const;
    const series = [{ name: 'accepted', unit: '/s', points }] as const;
    const report = reportOf([{ ...resultOf('service', { value: 1, scenario: 'idle' }), series }]);
    const { markdown } = renderPage(report, [other]);
    expect(linesWith(markdown, '![')).to.deep.equal([
      '![Line chart of one block of idle, over 12 seconds. accepted: at most 250 /s.](idle-over-time.svg)',
    ]);
  });

  it('is the same each time, with its charts', () => {
    expect(renderPage(measured, [scenario, other])).to.deep.equal(renderPage(measured, [scenario, other]));
  });
});
