import type { Scenario } from '../../scenarios/scenario.js';
import { barChart } from '../plots/barChart.js';
import { lineChart } from '../plots/lineChart.js';
import type { Report, Series } from '../result.js';
import type { SummaryRow } from '../summary.js';

/** A drawing of the page. */
export interface Plot {
  readonly fileName: string;
  /** What it shows, for those who do not see it. */
  readonly title: string;
  readonly svg: string;
}

export interface PlotSource {
  readonly scenario: Pick<Scenario, 'name' | 'plotted'>;
  readonly rows: readonly SummaryRow[];
  readonly report: Pick<Report, 'results'>;
}

/** The figures of a scenario that are to be seen, and how it went over time. */
export function plotsOf({ scenario, rows, report }: PlotSource): readonly Plot[] {
  const series = report.results.find(
    ({ scenario: name, series: kept }) => name === scenario.name && kept.length > 0,
  )?.series;
  return [...barsOf(scenario, rows), ...(series === undefined ? [] : [overTime(scenario.name, series)])];
}

function barsOf(
  { name, plotted = [] }: PlotSource['scenario'],
  rows: readonly SummaryRow[],
): readonly Plot[] {
  const groups = plotted.flatMap((figure) => rows.filter((row) => row.name === figure));
  const [first] = groups;
  if (first === undefined) {
    return [];
  }
  const title = `${name}: ${groups.map((group) => group.name).join('; ')}`;
  return [{ fileName: `${name}.svg`, title, svg: barChart({ title, unit: first.unit, groups }) }];
}

function overTime(name: string, series: readonly Series[]): Plot {
  const title = `${name}: ${series.map((one) => one.name).join(' and ')} over time, of one run`;
  return { fileName: `${name}-over-time.svg`, title, svg: lineChart({ title, series }) };
}
