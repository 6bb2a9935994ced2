import { judge, type JudgedTarget } from '../results/targets.js';
import { noiseOf, noiseText, type Noise } from '../results/noise.js';
import type { Machine, Report } from '../results/result.js';
import type { ScenarioDescription } from '../results/scenarioDescription.js';
import { summarize, type SummaryRow } from '../results/summary.js';
import { estimateText, ratioText, targetText, targetValueText } from '../results/text.js';
import { chartsOf, type Chart } from './charts.js';
import { markdownTable } from './markdownTable.js';
import { howToRead, howToRun, introduction, limits } from './prose.js';

/** A page with everything that was measured, and its charts. */
export interface Page {
  readonly markdown: string;
  readonly charts: readonly Chart[];
}

interface Section {
  readonly scenario: ScenarioDescription;
  readonly rows: readonly SummaryRow[];
  readonly targets: readonly JudgedTarget[];
  readonly charts: readonly Chart[];
  /** Null if nothing was measured. */
  readonly noise: Noise | null;
  readonly failures: readonly string[];
  /** Day and commit, once each. */
  readonly measured: readonly string[];
}

export function renderPage(report: Report, scenarios: readonly ScenarioDescription[]): Page {
  const summaries = summarize(report.results);
  const sections = scenarios.map((scenario) => {
    const rows = summaries.find((summary) => summary.scenario === scenario.name)?.rows ?? [];
    return sectionOf(report, scenario, rows);
  });
  const markdown = [
    introduction,
    ...(report.quick
      ? ['**These are the figures of a quick run. It shows that everything works; the figures mean little.**']
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
  return { markdown: `${markdown.join('\n\n')}\n`, charts: sections.flatMap(({ charts }) => charts) };
}

function sectionOf(report: Report, scenario: ScenarioDescription, rows: readonly SummaryRow[]): Section {
  const results = report.results.filter((result) => result.scenario === scenario.name);
  const failures = report.failures.filter((failure) => failure.scenario === scenario.name);
  const measured = [...results, ...failures].map(
    ({ measuredAt, commit }) =>
      `${measuredAt.slice(0, 10)}${commit === null ? '' : `, commit \`${commit}\``}`,
  );
  return {
    scenario,
    rows,
    targets: judge(scenario.targets ?? [], rows),
    charts: chartsOf({ scenario, rows, report }),
    noise: noiseOf(results),
    failures: failures.map(({ start, reason }) => `start ${start}: ${reason}`),
    measured: [...new Set(measured)],
  };
}

function overviewOf(sections: readonly Section[]): string {
  return markdownTable({
    head: ['scenario', 'figure', 'is', 'should be', ''],
    align: ['left', 'left', 'right', 'right', 'left'],
    rows: sections.flatMap(({ scenario, targets }) =>
      targets.map((target) => [
        `[${scenario.name}](#${scenario.name.toLowerCase()})`,
        target.figure,
        targetValueText(target),
        targetText(target),
        target.verdict,
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

function sectionText({ scenario, rows, targets, charts, ...rest }: Section): readonly string[] {
  return [
    `### ${scenario.name}`,
    `${sentence(scenario.description)} ${measuredText(rest)}`,
    ...rest.failures.map((failure) => `**Failed**, ${inOneLine(failure)}`),
    ...(targets.length === 0 ? [] : [targets.map(targetLine).join('\n')]),
    ...charts.map(({ fileName, description }) => `![${description}](${fileName})`),
    ...(rows.length === 0 ? [] : [figuresTable(rows)]),
  ];
}

function targetLine(target: JudgedTarget): string {
  return `- ${target.figure}: ${targetValueText(target)}, should be ${targetText(target)} (**${target.verdict}**)`;
}

function measuredText({ noise, measured }: Pick<Section, 'noise' | 'measured'>): string {
  if (measured.length === 0) {
    return 'Not measured yet.';
  }
  return `Measured on ${measured.join('; ')}. ${noise === null ? '' : noiseText(noise)}`.trimEnd();
}

function figuresTable(rows: readonly SummaryRow[]): string {
  return markdownTable({
    head: ['', '', 'service', 'bare', 'service / bare'],
    align: ['left', 'left', 'right', 'right', 'right'],
    rows: rows.map(({ name, unit, service, reference, ratio }) => [
      // Indented as in the terminal.
      name.replace(/^ {2}/, '&emsp;'),
      unit,
      estimateText(service),
      estimateText(reference),
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
