import type { Report, Series } from '../results/result.js';
import type { ScenarioDescription } from '../results/scenarioDescription.js';
import type { SummaryRow } from '../results/summary.js';
import { numberText } from '../results/text.js';
import { axisTitles } from './axisTitles.js';
import { barChart, barGroupText } from './barChart.js';
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

/** The bars of a scenario's plotted figures, and its first series over time. */
export function chartsOf({ scenario, rows, report }: ChartSource): readonly Chart[] {
  const series = report.results.find(
    (result) => result.scenario === scenario.name && result.series.length > 0,
  )?.series;
  return [...barsOf(scenario, rows), ...(series === undefined ? [] : [overTime(scenario.name, series)])];
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
  const description = `Line chart of one run of ${name}, over ${numberText(seconds)} seconds. ${peaks.join('. ')}.`;
  return { fileName: `${name}-over-time.svg`, description, svg: lineChart({ description, series }) };
}
