import type { Scenario } from '../../scenarios/scenario.js';
import { judge, type JudgedBar } from '../bars.js';
import type { Machine, Report } from '../result.js';
import { summarize, type SummaryRow } from '../summary.js';
import { barText, barValueText, ratioText, spreadText } from '../text.js';
import { markdownTable } from './markdown.js';
import { plotsOf, type Plot } from './plots.js';
import { howToRead, howToRun, introduction, limits } from './prose.js';

/** A page with everything that was measured, and the drawings that it shows. */
export interface Page {
  readonly markdown: string;
  readonly plots: readonly Plot[];
}

interface Section {
  readonly scenario: Scenario;
  readonly rows: readonly SummaryRow[];
  readonly bars: readonly JudgedBar[];
  readonly plots: readonly Plot[];
  readonly runs: number;
  readonly failures: readonly string[];
  /** Day and commit, once each. */
  readonly measured: readonly string[];
}

/** Everything on it follows from the report and from what the scenarios say of themselves. */
export function renderPage(report: Report, scenarios: readonly Scenario[]): Page {
  const summaries = summarize(report.results);
  const sections = scenarios.map((scenario) => {
    const rows = summaries.find((summary) => summary.scenario === scenario.name)?.rows ?? [];
    return sectionOf(report, scenario, rows);
  });
  const markdown = [
    introduction,
    ...(report.quick
      ? ['**This is of a quick run: it shows that all works, its figures mean little.**']
      : []),
    '## In short',
    overviewOf(sections),
    '## Measured on',
    machineText(report.machine),
    howToRead,
    howToRun,
    '## Scenarios',
    ...sections.flatMap(sectionText),
    limits,
  ];
  return { markdown: `${markdown.join('\n\n')}\n`, plots: sections.flatMap(({ plots }) => plots) };
}

function sectionOf(report: Report, scenario: Scenario, rows: readonly SummaryRow[]): Section {
  const results = report.results.filter((result) => result.scenario === scenario.name);
  const failures = report.failures.filter((failure) => failure.scenario === scenario.name);
  const measured = [...results, ...failures].map(
    ({ measuredAt, commit }) =>
      `${measuredAt.slice(0, 10)}${commit === null ? '' : `, commit \`${commit}\``}`,
  );
  return {
    scenario,
    rows,
    bars: judge(scenario.bars ?? [], rows),
    plots: plotsOf({ scenario, rows, report }),
    runs: Math.max(0, ...results.map(({ run }) => run)),
    failures: failures.map(({ pipeline, run, reason }) => `run ${run} on ${pipeline}: ${reason}`),
    measured: [...new Set(measured)],
  };
}

function overviewOf(sections: readonly Section[]): string {
  return markdownTable({
    head: ['scenario', 'figure', 'is', 'should be', ''],
    align: ['left', 'left', 'right', 'right', 'left'],
    rows: sections.flatMap(({ scenario, bars }) =>
      bars.map((bar) => [
        `[${scenario.name}](#${scenario.name.toLowerCase()})`,
        bar.figure,
        barValueText(bar),
        barText(bar),
        bar.verdict,
      ]),
    ),
  });
}

function machineText({ cpu, cores, memoryBytes, system, versions }: Machine): string {
  return markdownTable({
    head: ['', ''],
    align: ['left', 'left'],
    rows: [
      ['processors', `${cores} × ${cpu}`],
      ['memory', `${Math.round(memoryBytes / 2 ** 30)} GiB`],
      ['system', system],
      ...Object.entries(versions),
    ],
  });
}

function sectionText({ scenario, rows, bars, plots, ...rest }: Section): readonly string[] {
  return [
    `### ${scenario.name}`,
    `${sentence(scenario.description)} ${runText(rest)}`,
    ...rest.failures.map((failure) => `**Failed**, ${inOneLine(failure)}`),
    ...(bars.length === 0 ? [] : [bars.map(barLine).join('\n')]),
    ...plots.map(({ fileName, title }) => `![${title}](${fileName})`),
    ...(rows.length === 0 ? [] : [figuresTable(rows)]),
  ];
}

function barLine(bar: JudgedBar): string {
  return `- ${bar.figure}: ${barValueText(bar)}, should be ${barText(bar)}: **${bar.verdict}**`;
}

function runText({ runs, measured }: Pick<Section, 'runs' | 'measured'>): string {
  if (measured.length === 0) {
    return 'Not measured yet.';
  }
  const times = runs === 1 ? 'one run' : `${runs} runs`;
  return `Measured in ${times}, ${measured.join('; ')}.`;
}

function figuresTable(rows: readonly SummaryRow[]): string {
  return markdownTable({
    head: ['', '', 'service', 'bare', 'service / bare'],
    align: ['left', 'left', 'right', 'right', 'right'],
    rows: rows.map(({ name, unit, service, bare, ratio }) => [
      // Indented as in the terminal, where spaces stay.
      name.replace(/^ {2}/, '&emsp;'),
      unit,
      spreadText(service),
      spreadText(bare),
      ratioText(ratio),
    ]),
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' / ');
}
