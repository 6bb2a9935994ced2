import { toleratedOthersShare } from '../processes/othersShare.js';
import type { Estimate } from './estimate.js';
import type { Report } from './report.js';
import type { ScenarioRows } from './rows.js';
import { summarize, type Summary } from './summary.js';
import { verdictOn, type Target } from './targets.js';

const decimalsBelow = [
  { limit: 10, decimals: 2 },
  { limit: 100, decimals: 1 },
];

/**
 * The table of a run in Markdown: every figure with its interval, the ratio to the other pipeline, and the targets. They mean nothing in
 * a quick run, or next to an earlier version.
 */
export function runTable(report: Report, scenarios: readonly ScenarioRows[]): string {
  const other = report.against === null ? 'bare' : 'earlier';
  const hasTargets = report.against === null && !report.quick;
  const head = ['scenario', 'figure', '', 'service', other, `service / ${other}`];
  const rows = rowsOf(report, scenarios).map(({ scenario, row, summary }) => [
    `\`${scenario}\``,
    row.figure,
    row.unit,
    estimateText(summary.service),
    estimateText(summary.reference),
    estimateText(summary.ratio, (ratio) => ratio.toFixed(3)),
    ...(hasTargets ? [targetsText(row.targets ?? [], summary)] : []),
  ]);
  const align = ['---', '---', '---', '---:', '---:', '---:', ...(hasTargets ? ['---'] : [])];
  return [
    markdownTable([...head, ...(hasTargets ? ['should be'] : [])], align, rows),
    measuredText(report),
    noiseText(report),
    ...report.failures.map(
      ({ scenario, start, reason }) =>
        `**Failed**: ${scenario}, start ${start}: ${reason.replaceAll(/\s*\n\s*/g, ' / ')}`,
    ),
  ].join('\n\n');
}

function rowsOf({ blocks }: Report, scenarios: readonly ScenarioRows[]) {
  return scenarios.flatMap(({ name, rows }) => {
    const ofScenario = blocks.filter(({ scenario }) => scenario === name);
    return rows.map((row) => ({ scenario: name, row, summary: summarize(ofScenario, row.figure) }));
  });
}

function markdownTable(
  head: readonly string[],
  align: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `≥ 2,000 met, ≥ 0.80 × bare missed` */
function targetsText(targets: readonly Target[], summary: Summary): string {
  return targets
    .map((target) => {
      const sign = target.bound === 'at least' ? '≥' : '≤';
      const verdict = verdictOn(target.of === 'ratio' ? summary.ratio : summary.service, target);
      return `${sign} ${numberText(target.limit)}${target.of === 'ratio' ? ' × bare' : ''} ${verdict}`;
    })
    .join(', ');
}

/** The median, with the interval if there is one. */
function estimateText(estimate: Estimate | null, textOf: (value: number) => string = numberText): string {
  if (estimate === null) {
    return '–';
  }
  const { median, interval } = estimate;
  return interval === null
    ? textOf(median)
    : `${textOf(median)} (${textOf(interval.low)} – ${textOf(interval.high)})`;
}

/** Three significant digits, since more are not measured. Whole numbers have no decimals. */
function numberText(value: number): string {
  const decimals = Number.isInteger(value)
    ? 0
    : (decimalsBelow.find(({ limit }) => value < limit)?.decimals ?? 0);
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function measuredText({ startedAt, commit, quick, machine }: Report): string {
  const { cpu, cores, memoryBytes, system, versions } = machine;
  const of = commit === null ? '' : ` of commit \`${commit}\``;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Measured${of} on ${startedAt.slice(0, 10)}: ${cores} × ${cpu}, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${system},`,
    `${programs.join(', ')}.${quick ? ' This was a quick run: its figures mean little.' : ''}`,
  ].join(' ');
}

function noiseText({ blocks }: Report): string {
  const largest = blocks.reduce((most, { othersShare }) => Math.max(most, othersShare), 0);
  const noisy = blocks.filter(({ othersShare }) => othersShare > toleratedOthersShare).length;
  const repeats = blocks.reduce((sum, block) => sum + block.repeats, 0);
  return [
    `Other programs took at most ${(largest * 100).toFixed(1)} % of the CPU time of a block,`,
    `more than ${toleratedOthersShare * 100} % in ${noisy} of ${blocks.length} blocks. Repeated blocks: ${repeats}.`,
  ].join(' ');
}
