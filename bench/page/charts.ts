import type { FlameFrame, Report, Series } from '../results/result.js';
import type { ScenarioDescription } from '../results/scenarioDescription.js';
import type { SummaryRow } from '../results/summary.js';
import { numberText } from '../results/text.js';
import { axisTitles } from './axisTitles.js';
import { barChart, barGroupText } from './barChart.js';
import { flameGraph } from './flameGraph.js';
import { lineChart } from './lineChart.js';

/** A chart of the page. */
export interface Chart {
  readonly fileName: string;
  /** The text alternative: what the chart shows, with its most important values. */
  readonly description: string;
  readonly svg: string;
}

export interface ChartSource {
  readonly scenario: Pick<ScenarioDescription, 'name' | 'plotted'>;
  readonly rows: readonly SummaryRow[];
  readonly report: Pick<Report, 'results'>;
}

/** The bars of a scenario's plotted figures, its first series over time and its first flame graph. */
export function chartsOf({ scenario, rows, report }: ChartSource): readonly Chart[] {
  const results = report.results.filter((result) => result.scenario === scenario.name);
  const series = results.find((result) => result.series.length > 0)?.series;
  const frames = results.find((result) => result.flameGraph.length > 0)?.flameGraph;
  return [
    ...barsOf(scenario, rows),
    ...(series === undefined ? [] : [overTime(scenario.name, series)]),
    ...(frames === undefined ? [] : [flames(scenario.name, frames)]),
  ];
}

function barsOf(
  { name, plotted = [] }: ChartSource['scenario'],
  rows: readonly SummaryRow[],
): readonly Chart[] {
  const groups = plotted.flatMap((figure) => rows.filter((row) => row.name === figure));
  const [first] = groups;
  if (first === undefined) {
    return [];
  }
  const { unit } = first;
  const description = `Bar chart of ${name}, ${axisTitles[unit]}. ${groups.map(barGroupText).join('. ')}.`;
  return [{ fileName: `${name}.svg`, description, svg: barChart({ description, unit, groups }) }];
}

function overTime(name: string, series: readonly Series[]): Chart {
  const peaks = series.map(({ name: what, unit, points }) => {
    const values = points.map(([, value]) => value);
    return `${what}: at most ${numberText(Math.max(0, ...values))} ${unit}`;
  });
  const seconds = Math.max(0, ...series.flatMap(({ points }) => points.map(([second]) => second)));
  const description = `Line chart of one block of ${name}, over ${numberText(seconds)} seconds. ${peaks.join('. ')}.`;
  return { fileName: `${name}-over-time.svg`, description, svg: lineChart({ description, series }) };
}

function flames(name: string, frames: readonly FlameFrame[]): Chart {
  const roles = frames.filter(({ depth }) => depth === 0);
  const times = roles.map(({ name: role, ms }) => `${role}: ${numberText(ms)} ms`);
  const description = `Flame graph of ${name}, CPU time of the main threads per event. ${times.join('. ')}.`;
  return { fileName: `${name}-flame-graph.svg`, description, svg: flameGraph({ description, frames }) };
}
